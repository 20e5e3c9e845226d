// The page around a dashboard's sections, and its server's answers.
#pragma once

#include <string>

#include "lab/dashboard/event_server.h"
#include "lab/dashboard/section_board.h"
#include "lab/dashboard/viewer_access.h"

namespace hone {

// Answers `/` with the whole page in its present state, which then follows `/events`, and `/healthz` with "ok". Other
// paths give 404. A viewer without access gets the answer of ViewerAccess. No answered page may be cached, framed, or
// read by other sites.
HttpAnswer AnswerViewer(const HttpRequest& request, const ViewerAccess& access, const SectionBoard& board);

}  // namespace hone
