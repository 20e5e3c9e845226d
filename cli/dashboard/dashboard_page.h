// The page around a dashboard's sections, and what its server answers.
#pragma once

#include <string>

#include "cli/dashboard/event_server.h"
#include "cli/dashboard/section_board.h"
#include "cli/dashboard/viewer_access.h"

namespace hone {

// `/`: the whole page as it is now, which then follows `/events`; `/healthz`: "ok". Others are 404, and whoever may not
// look gets what ViewerAccess says. No page that is answered may be kept, framed, or read by other sites.
HttpAnswer AnswerViewer(const HttpRequest& request, const ViewerAccess& access, const SectionBoard& board);

}  // namespace hone
