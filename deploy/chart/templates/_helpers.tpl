{{/* Which pods a thing is about; takes root and component. */}}
{{- define "workbench.selector" -}}
app.kubernetes.io/name: workbench
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end }}

{{- define "workbench.labels" -}}
{{ include "workbench.selector" . }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end }}

{{/* Settings of every program; takes root. */}}
{{- define "workbench.environment" -}}
{{- $given := .Values.settings -}}
# Prometheus asks by the address of the pod, and the probes by that of the machine.
- name: POD_IP
  valueFrom: {fieldRef: {fieldPath: status.podIP}}
- name: ALLOWED_HOSTS
  value: {{ printf "%s,127.0.0.1,$(POD_IP)" (join "," .Values.siteNames) | quote }}
{{- $own := dict "BEHIND_PROXY" "1" "DATABASE_SERVING_ROLE" "workbench_serving" "LOG_FORMAT" "json" }}
{{- /* Of a folder within the volume, whose mode is not ours. */}}
{{- $_ := set $own "DATA_DIR" "/data/workbench" }}
{{- $_ := set $own "PROMETHEUS_MULTIPROC_DIR" "/tmp/figures" }}
{{- $_ := set $own "SIGN_OF_LIFE_FILE" "/tmp/alive" }}
{{- $_ := set $own "BACKUP_KEEP_DAYS" (.Values.backup.keepDays | toString) }}
{{- if $given.ARTEFACT_STORE }}
{{- $_ := set $own "ARTEFACT_CACHE_BYTES" (mul .Values.data.cacheGiB 1073741824 | toString) }}
{{- end }}
{{- range $name, $value := merge (dict) $given $own }}
{{- if regexMatch "SECRET|PASSWORD$|PASSPHRASE|TOKEN|_KEY$|^DATABASE_URL$|BROKER_URL$" $name }}
{{- fail (printf "settings.%s is a secret: put it into the Secret %s, and its key there under secretFiles.%s" $name $.Values.secret $name) }}
{{- end }}
- name: {{ $name }}
  value: {{ $value | toString | quote }}
{{- end }}
{{- range $name, $key := include "workbench.secrets" . | fromYaml }}
- name: {{ $name }}_FILE
  value: /run/secrets/workbench/{{ $key }}
{{- end }}
{{- end }}

{{/* Secrets as files: the setting, and the name of its file; takes root. */}}
{{- define "workbench.secrets" -}}
{{- $own := dict "SECRET_KEY" "secret_key" "DATABASE_URL" "database_url" }}
{{- $_ := set $own "CELERY_BROKER_URL" "broker_url" }}
{{- $_ := set $own "METRICS_TOKEN" "metrics_token" }}
{{- merge (dict) $own .Values.secretFiles | toYaml }}
{{- end }}

{{/* A container; takes what a pod does. */}}
{{- define "workbench.container" -}}
name: {{ .component }}
image: {{ .image }}
command: {{ toJson .command }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
env:
  {{- include "workbench.environment" .root | nindent 2 }}
volumeMounts:
  - {name: tmp, mountPath: /tmp}
  - {name: data, mountPath: /data}
  - {name: secrets, mountPath: /run/secrets/workbench, readOnly: true}
  {{- with .mounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
resources:
  {{- $resources := deepCopy .resources }}
  {{- if .gpus }}
  {{- $_ := set $resources "limits" (set ($resources.limits | default dict) "nvidia.com/gpu" .gpus) }}
  {{- end }}
  {{- toYaml $resources | nindent 2 }}
{{- with .probes }}
{{ . }}
{{- end }}
{{- end }}

{{/*
A pod: takes root, component, image, command, resources, placement; and perhaps `isOwner`, for those
that own the tables, `isAside`, for those that need no stored file, gpus, probes, mounts and volumes.
*/}}
{{- define "workbench.pod" -}}
{{- $root := .root -}}
metadata:
  labels:
    {{- include "workbench.labels" . | nindent 4 }}
spec:
  automountServiceAccountToken: false
  enableServiceLinks: false
  terminationGracePeriodSeconds: 60
  {{- with .restartPolicy }}
  restartPolicy: {{ . }}
  {{- end }}
  {{- with $root.Values.imagePullSecrets }}
  imagePullSecrets:
    {{- range . }}
    - name: {{ . }}
    {{- end }}
  {{- end }}
  {{- with .placement }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
  securityContext:
    runAsNonRoot: true
    runAsUser: 10001
    runAsGroup: 10001
    fsGroup: 10001
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile: {type: RuntimeDefault}
  containers:
    - {{- include "workbench.container" . | nindent 6 }}
  volumes:
    - name: tmp
      emptyDir: {medium: Memory, sizeLimit: 1Gi}
    - name: data
      {{- if .isAside }}
      emptyDir: {sizeLimit: 1Gi}
      {{- else if $root.Values.settings.ARTEFACT_STORE }}
      # Of the cache, and of files that come in or are being written.
      emptyDir: {sizeLimit: {{ mul $root.Values.data.cacheGiB 2 }}Gi}
      {{- else }}
      persistentVolumeClaim: {claimName: {{ $root.Values.data.existingClaim | default (printf "%s-data" $root.Release.Name) }}}
      {{- end }}
    - name: secrets
      secret:
        secretName: {{ $root.Values.secret }}
        # For this user and its group; settings refuse files that everybody may read.
        defaultMode: 0440
        items:
          {{- range $name, $file := include "workbench.secrets" $root | fromYaml }}
          {{- $isOwners := eq $name (ternary "DATABASE_URL" "" (default false $.isOwner)) }}
          - {key: {{ ternary "database_owner_url" $file $isOwners }}, path: {{ $file }}}
          {{- end }}
    {{- with .volumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end }}

{{/* It touched its file lately: it lives, and reaches the database. */}}
{{- define "workbench.lives" -}}
startupProbe:
  exec: {command: [sh, -c, "find /tmp/alive -mmin -1 | grep -q ."]}
  periodSeconds: 5
  failureThreshold: 60
livenessProbe:
  # A database that is away for some minutes shall not end a training.
  exec: {command: [sh, -c, "find /tmp/alive -mmin -5 | grep -q ."]}
  periodSeconds: 60
  timeoutSeconds: 10
  failureThreshold: 3
{{- end }}

{{/* A volume; takes root, component, claim. */}}
{{- define "workbench.claim" -}}
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: {{ .root.Release.Name }}-{{ .component }}
  labels:
    {{- include "workbench.labels" . | nindent 4 }}
  annotations:
    # `helm uninstall` shall delete no ratings.
    helm.sh/resource-policy: keep
spec:
  accessModes: [{{ .claim.accessMode | default "ReadWriteOnce" }}]
  {{- with .claim.storageClass }}
  storageClassName: {{ . }}
  {{- end }}
  resources: {requests: {storage: {{ .claim.size }}}}
{{- end }}

{{/* The web server answers; it takes requests while it reaches a database that is migrated. */}}
{{- define "workbench.answers" -}}
{{- $asked := "port: 8000, httpHeaders: [{name: Host, value: 127.0.0.1}]" -}}
startupProbe:
  httpGet: {path: /healthz, {{ $asked }}}
  periodSeconds: 2
  failureThreshold: 60
livenessProbe:
  httpGet: {path: /healthz, {{ $asked }}}
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 6
readinessProbe:
  httpGet: {path: /readyz, {{ $asked }}}
  periodSeconds: 5
  timeoutSeconds: 5
{{- end }}
