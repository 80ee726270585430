"""Settings of the whole project, read from the environment and refused loudly when unsafe.

Nothing set means local mode: loopback only, SQLite, filesystem broker, a secret made once in
DATA_DIR. Any of SECRET_KEY, ALLOWED_HOSTS, DATABASE_URL set means production checks.
"""

import os
import sys
import warnings
from pathlib import Path
from typing import Any

# Hugging Face's hub reads these at import, so they are set before anything can import it.
for _name in ("HF_HUB_OFFLINE", "HF_HUB_DISABLE_TELEMETRY", "DO_NOT_TRACK"):
    os.environ.setdefault(_name, "1")

import drf_spectacular_sidecar  # noqa: E402
import environ  # noqa: E402
from csp.constants import NONE, SELF  # noqa: E402
from django.core.exceptions import ImproperlyConfigured  # noqa: E402

from core import (  # noqa: E402
    configuration,
    endpoint,
    environment,
    logs,
    mail_settings,
    sqlite,
)
from core.oidc import settings as oidc  # noqa: E402
from patclaimeval.limits import UPLOAD_BYTES  # noqa: E402

BASE_DIR = Path(__file__).resolve().parent.parent
DATA_DIR = Path(os.environ.get("DATA_DIR") or BASE_DIR / "var").resolve()

try:
    _given = environment.with_secret_files(os.environ)
    IS_LOCAL = not any(_given.get(n) for n in ("SECRET_KEY", "ALLOWED_HOSTS", "DATABASE_URL"))
    DEBUG = environment.switch(_given, "DEBUG", default=False)
    if IS_LOCAL:
        SECRET_KEY = configuration.local_secret(DATA_DIR)
        ALLOWED_HOSTS = ["127.0.0.1", "localhost", "[::1]", "testserver"]
    else:
        SECRET_KEY = _given.get("SECRET_KEY", "")
        ALLOWED_HOSTS = environment.names(_given, "ALLOWED_HOSTS")
    # Keys of before, which still open and vouch for what was sealed with them; none signs anew.
    SECRET_KEY_FALLBACKS = environment.names(_given, "SECRET_KEY_FALLBACKS")
    INSECURE_HTTP = environment.switch(_given, "ALLOW_INSECURE_HTTP", default=IS_LOCAL)
    CELERY_BROKER_URL = _given.get("CELERY_BROKER_URL") or "filesystem://localhost"
    _private_hosts = environment.names(_given, "PRIVATE_HOSTS")
    # An unknown engine is refused below, in one line; the library would only warn of it.
    warnings.filterwarnings("ignore", "Engine not recognized")
    _database: dict[str, Any] = environ.Env.db_url_config(
        _given.get("DATABASE_URL") or f"sqlite:///{DATA_DIR / 'db.sqlite3'}"
    )
    if not IS_LOCAL:
        configuration.refuse_unsafe(
            secret=SECRET_KEY,
            fallbacks=SECRET_KEY_FALLBACKS,
            hosts=ALLOWED_HOSTS,
            is_debug=DEBUG,
            database=_database,
        )
    configuration.refuse_open_ways(
        hosts=ALLOWED_HOSTS,
        is_plain_http=INSECURE_HTTP,
        broker=CELERY_BROKER_URL,
        database=_database,
        private=_private_hosts,
    )
    # Who has none yet can do nothing before they set one up.
    REQUIRE_SECOND_FACTOR = environment.switch(
        _given, "REQUIRE_SECOND_FACTOR", default=not IS_LOCAL
    )
    LOG_FORMAT = _given.get("LOG_FORMAT") or environment.LOG_FORMATS[0]
    if LOG_FORMAT not in environment.LOG_FORMATS:
        raise ValueError(f"LOG_FORMAT must be {' or '.join(environment.LOG_FORMATS)}")
    # Who serves where another role owns the tables; whoever migrates gives it its rights.
    DATABASE_SERVING_ROLE = _given.get("DATABASE_SERVING_ROLE", "")
    if DATABASE_SERVING_ROLE and not configuration.ROLE_NAME.fullmatch(DATABASE_SERVING_ROLE):
        raise ValueError("DATABASE_SERVING_ROLE must be a role's name: a-z, 0-9 and _")
    METRICS_TOKEN = _given.get("METRICS_TOKEN", "")
    if METRICS_TOKEN:
        configuration.refuse_weak_secret(
            "METRICS_TOKEN", METRICS_TOKEN, configuration.SHORTEST_TOKEN
        )
    # Where webhooks may lead; empty, the default, none is ever sent. Private addresses are reached
    # in these networks only.
    WEBHOOK_HOSTS = configuration.webhook_hosts(environment.names(_given, "WEBHOOK_HOSTS"))
    WEBHOOK_NETWORKS = configuration.networks(
        "WEBHOOK_NETWORKS", environment.names(_given, "WEBHOOK_NETWORKS")
    )
    _numbers = environment.numbers(_given)
    _endpoint = endpoint.read(_given)
    # Where hosts share files (core/storage.py); without one, DATA_DIR has all of them.
    STORAGE_BUCKET, STORAGE_ENDPOINT = configuration.storage_bucket(_given, _private_hosts)
    _mail = mail_settings.read(_given, is_local=IS_LOCAL, private=_private_hosts)
    OIDC_PROVIDERS = oidc.read(_given)
    # None where everybody may sign in with a password.
    EMERGENCY_ACCOUNT = oidc.read_passwords(_given, OIDC_PROVIDERS)
except (ImproperlyConfigured, ValueError) as error:
    sys.exit(f"settings refused: {error}")

# Whatever a program of ours writes is for its owner alone: databases, datasets, models, exports.
os.umask(0o077)
configuration.make_private(DATA_DIR)

# Counts of requests, which all web processes share; the library reads the name at import.
FIGURES_DIR = Path(os.environ.setdefault("PROMETHEUS_MULTIPROC_DIR", str(DATA_DIR / "figures")))
FIGURES_DIR.mkdir(parents=True, exist_ok=True)

INSTALLED_APPS = [
    # Before Django's, in the place of whose `changepassword` it has its own.
    "annotator",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.contrib.humanize",
    "rest_framework",
    "drf_spectacular",
    "django_htmx",
    "csp",
    "scoring",
]

MIDDLEWARE = [
    "annotator.site.middleware.follow",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "csp.middleware.CSPMiddleware",
    # Outside of what may answer by itself, so that no answer goes without.
    "annotator.site.middleware.protect_drafts",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    # Before the CSRF check, which reads the whole form.
    "annotator.site.middleware.BodyLimit",
    "annotator.site.middleware.Utf8Only",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "annotator.site.middleware.see_sessions",
    "annotator.site.middleware.use_time_zone",
    "annotator.site.middleware.note_refusals",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "annotator.access.gate.Gate",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
AUTH_USER_MODEL = "annotator.User"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
LOGIN_URL = "/login/"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/login/"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "django.template.context_processors.tz",
                "annotator.site.middleware.page_header",
            ],
        },
    }
]

IS_SQLITE = _database["ENGINE"].endswith("sqlite3")
if IS_SQLITE:
    _database |= {
        "OPTIONS": sqlite.options(sqlite.use_sound_sqlite()),
        # Opening and closing SQLite costs a third of a short request.
        "CONN_MAX_AGE": 60,
        # A file, because a worker process of a test cannot see an in-memory database.
        "TEST": {"NAME": str(DATA_DIR / "test.sqlite3")},
    }
else:
    _database |= {
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": configuration.tls_options(_database, _private_hosts),
    }
DATABASES = {"default": _database}

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 12},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]

LANGUAGE_CODE = "en-gb"
TIME_ZONE = "UTC"  # a person's own on pages: the account has it
USE_TZ = True
FORMAT_MODULE_PATH = "config.formats"

STATIC_URL = "/static/"
STATIC_ROOT = Path(os.environ.get("STATIC_ROOT") or DATA_DIR / "static").resolve()
# WhiteNoise warns at every start of a folder that is not there.
STATIC_ROOT.mkdir(parents=True, exist_ok=True)
SWAGGER_UI = ("static", "drf_spectacular_sidecar", "swagger-ui-dist")
STATICFILES_DIRS = [
    BASE_DIR / "static",
    ("swagger-ui", Path(drf_spectacular_sidecar.__path__[0], *SWAGGER_UI)),
]
# Our own files only: what packages bring along is not used, and some of it cannot be hashed.
STATICFILES_FINDERS = ["django.contrib.staticfiles.finders.FileSystemFinder"]
# WhiteNoise serves straight from static/ in local mode: a fresh clone needs no collectstatic.
WHITENOISE_USE_FINDERS = IS_LOCAL
WHITENOISE_AUTOREFRESH = False
WHITENOISE_ALLOW_ALL_ORIGINS = False
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "files": {
        "BACKEND": "core.bucket.Bucket",
        "OPTIONS": {"bucket_name": STORAGE_BUCKET, "endpoint_url": STORAGE_ENDPOINT or None},
    }
    if STORAGE_BUCKET
    else {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {"location": DATA_DIR},
    },
    "staticfiles": {
        "BACKEND": (
            "django.contrib.staticfiles.storage.StaticFilesStorage"
            if IS_LOCAL
            else "core.static_files.HashedStaticFiles"
        )
    },
}

SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
SESSION_ENGINE = "annotator.accounts.sessions"
# A session ends after this long without a request, and 12 hours after the sign-in in any case.
SESSION_IDLE_MINUTES = _numbers["SESSION_IDLE_MINUTES"]
# So long without a key or a movement a page in focus still counts as read.
READING_IDLE_SECONDS = 120
SESSION_COOKIE_AGE = 12 * 60 * 60
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = not INSECURE_HTTP
if not INSECURE_HTTP:
    # A browser takes such a name only over TLS, for this host alone and for all its paths.
    SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = "__Host-sessionid", "__Host-csrftoken"
SECURE_SSL_REDIRECT = not INSECURE_HTTP
SECURE_HSTS_SECONDS = 0 if INSECURE_HTTP else 365 * 24 * 60 * 60
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = not INSECURE_HTTP
SECURE_REFERRER_POLICY = "same-origin"
# Asked by programs of this machine, which know of no certificate.
SECURE_REDIRECT_EXEMPT = [r"^healthz$", r"^readyz$", r"^metrics$"]
# How many proxies add to X-Forwarded-For; what stands there before them is not believed.
TRUSTED_PROXIES = _numbers["BEHIND_PROXY"]
if TRUSTED_PROXIES:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
X_FRAME_OPTIONS = "DENY"
CSRF_FAILURE_VIEW = "annotator.site.errors.csrf_failure"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}
DATA_UPLOAD_MAX_MEMORY_SIZE = 2 * 1024 * 1024
DATA_UPLOAD_MAX_NUMBER_FIELDS = 200
# Of a file with claim sets; a form without a file has the limit above.
MAX_UPLOAD_BYTES = UPLOAD_BYTES
# Whole in memory while its form is read: no temporary file is named after it.
FILE_UPLOAD_HANDLERS = ["django.core.files.uploadhandler.MemoryFileUploadHandler"]
FILE_UPLOAD_MAX_MEMORY_SIZE = 2 * MAX_UPLOAD_BYTES

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "annotator.accounts.api.ApiTokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["annotator.access.api.MatrixPermission"],
    # Of one person, over all routes; `next` and `ratings` are promised 600 each.
    "DEFAULT_THROTTLE_CLASSES": ["rest_framework.throttling.UserRateThrottle"],
    "DEFAULT_THROTTLE_RATES": {"user": "2400/min"},
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["core.rest.parsers.StrictJSONParser"],
    "DEFAULT_SCHEMA_CLASS": "core.rest.described.Described",
    "EXCEPTION_HANDLER": "core.rest.errors.handle",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "PatClaimEval workbench",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    # Texts that are sent may be described as not empty without saying it of answers, too.
    "COMPONENT_SPLIT_REQUEST": True,
    "ENUM_NAME_OVERRIDES": {"JobStatusEnum": "core.jobs.rows.JobStatus"},
}

if CELERY_BROKER_URL.startswith("filesystem:"):
    _messages = DATA_DIR / "broker" / "messages"
    _messages.mkdir(parents=True, exist_ok=True, mode=0o700)
    CELERY_BROKER_TRANSPORT = "core.broker.filesystem:Transport"
    # kombu's default of one second between polls would turn a burst into minutes.
    CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, Any] = {
        "data_folder_in": str(_messages),
        "data_folder_out": str(_messages),
        "polling_interval": 0.05,
    }
else:
    # A broker that is down, or hangs, must not hold a request: the sweeper enqueues again from the
    # row. kombu's hundred tries are one here: whoever asks for a training waits for the broker for
    # a second and a half at most. A worker asks again by itself.
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "socket_connect_timeout": 1,
        "socket_timeout": 1.4,
        "max_retries": 0,
        "interval_start": 0,
        "interval_step": 0,
        "interval_max": 0,
    }
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_ACKS_LATE = False
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
# Nothing here broadcasts to workers, and who can write to the broker shall not either.
CELERY_WORKER_ENABLE_REMOTE_CONTROL = False
CELERY_WORKER_CONSUMER = "core.broker.consumer:CarefulConsumer"
CELERY_TASK_DEFAULT_QUEUE = "web"
# The nameless exchange delivers by the name of a queue. For a named one the filesystem transport
# keeps a table that each worker overwrites in place: of 150 times in which three workers started
# at once, two left a table on which every later worker ended (P10).
CELERY_TASK_DEFAULT_EXCHANGE = ""
CELERY_TASK_PUBLISH_RETRY = False

logs.take_over()
LOGGING = logs.configuration(LOG_FORMAT, logs_requests=not IS_LOCAL or LOG_FORMAT == "json")

JOB_LEASE_SECONDS = _numbers["JOB_LEASE_SECONDS"]
# Texts that were pasted to be scored, with their scores, are deleted after this time.
SCORE_KEEP_MINUTES = 60
# How long whoever keeps a backup may keep it; what was erased meanwhile is still in it.
BACKUP_KEEP_DAYS = _numbers["BACKUP_KEEP_DAYS"]
# Where the weights of metrics lie, each in a directory of the metric's name.
METRIC_MODELS_DIR = Path(
    os.environ.get("METRIC_MODELS_DIR") or DATA_DIR / "metric_models"
).resolve()
# A language model that metrics may ask. Without an address, the default, none is ever asked;
# with one, claims are sent there by a report that names such a metric.
METRIC_ENDPOINT_URL = _endpoint.url
METRIC_ENDPOINT_MODEL = _endpoint.model
METRIC_ENDPOINT_KEY = _endpoint.key
METRIC_ENDPOINT_REQUESTS_PER_MINUTE = _endpoint.requests_per_minute
METRIC_ENDPOINT_PRICE_IN = _endpoint.price_in
METRIC_ENDPOINT_PRICE_OUT = _endpoint.price_out
METRIC_ENDPOINT_TIMEOUT = _endpoint.timeout
# Mail; without a host, the default, none is ever sent.
EMAIL_HOST, EMAIL_PORT = _mail.host, _mail.port
EMAIL_HOST_USER, EMAIL_HOST_PASSWORD = _mail.user, _mail.password
EMAIL_USE_TLS, EMAIL_USE_SSL = _mail.use_tls, _mail.use_ssl
EMAIL_TIMEOUT = 10
DEFAULT_FROM_EMAIL = _mail.sender
SITE_URL = _mail.site_url
# How much of the bucket's files a host keeps; it deletes the least recently used first.
STORAGE_CACHE_BYTES = _numbers["STORAGE_CACHE_BYTES"]
TRAINING_STATE_SECONDS = _numbers["TRAINING_STATE_SECONDS"]
DEMO_PASSWORD = os.environ.get("DEMO_PASSWORD", "")
