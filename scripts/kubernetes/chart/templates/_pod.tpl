{{- /* Labels of an object: list of the context and the component's name. */ -}}
{{- define "hone.labels" -}}
app.kubernetes.io/name: hone
app.kubernetes.io/instance: {{ (index . 0).Release.Name }}
app.kubernetes.io/component: {{ index . 1 }}
{{- end }}

{{- /* No pod is root, gets a right, or writes to its image. The group lets it read its secrets; OnRootMismatch leaves
       the modes of a tracker's keys as they are, which it would refuse were they open to the group. */ -}}
{{- define "hone.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "hone.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{- /* A secret's files can be read by the group, and a secret key that others may read is refused: a copy of its own. */ -}}
{{- define "hone.copyIdentity" -}}
- name: identity
  image: {{ . }}
  command: [install, -m, "600", /secret/identity, /home/hone/identity]
  securityContext:
    {{- include "hone.containerSecurity" . | nindent 4 }}
  volumeMounts:
    - {name: secret, mountPath: /secret, readOnly: true}
    - {name: home, mountPath: /home/hone}
{{- end }}

{{- define "hone.tracker" -}}
tcp://{{ .Release.Name }}-tracker:{{ .Values.tracker.port }}
{{- end }}

{{- define "hone.db" -}}
{{ .Values.db | default (printf "postgresql://hone@%s-store/hone" .Release.Name) }}
{{- end }}
