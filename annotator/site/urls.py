"""Routes of the annotator's pages."""

from django.urls import include, path

from annotator.accounts import factor_views
from annotator.accounts import views as accounts_views
from annotator.adjudication.rulings import context_views as rulings_context_views
from annotator.adjudication.rulings import views as rulings_views
from annotator.adjudication.settled import views as settled_views
from annotator.adjudication.what_if import views as what_if_views
from annotator.audit_pages import views as audit_pages_views
from annotator.campaigns import views as campaigns_views
from annotator.campaigns.members import views as members_views
from annotator.comparisons import views as comparisons_views
from annotator.entry import views as entry_views
from annotator.error_tags.views import error_tags
from annotator.exports import views as exports_views
from annotator.flags.views import flag_page
from annotator.imports import views as imports_views
from annotator.mail import views as mail_views
from annotator.operations.health import views as health_views
from annotator.planning import views as planning_views
from annotator.rating import all_views, context_views, reading_views
from annotator.rating import views as rating_views
from annotator.rating.calibration import views as calibration_views
from annotator.reliability import views as reliability_views
from annotator.site import home, provider_sign_in, sign_in
from annotator.site.help import api_docs, help_page
from annotator.timesheets import views as timesheets_views
from annotator.webhooks import views as webhooks_views
from annotator.word_files import views as word_files_views

app_name = "annotator"

OF_CAMPAIGN = [
    path("", home.campaign, name="campaign"),
    path("counts/", home.campaign_counts, name="campaign_counts"),
    path("rules/", campaigns_views.campaign_rules, name="campaign_rules"),
    path("what-if/", what_if_views.what_if, name="what_if"),
    path("error-tags/", error_tags, name="error_tags"),
    path("settled/", settled_views.settled, name="settled"),
    path("settled/<uuid:pk>/", settled_views.settled_candidate, name="settled_candidate"),
    path("close/", campaigns_views.close, name="close_campaign"),
    path("reopen/", campaigns_views.reopen, name="reopen_campaign"),
    path("members/", members_views.members, name="members"),
    path("members/invite/", members_views.invite_member, name="invite_member"),
    path("members/revoke/", members_views.revoke, name="revoke"),
    path(
        "members/pending/<uuid:pk>/<str:name>/",
        entry_views.answer_pending_role,
        name="answer_pending_role",
    ),
    path("reliability/", reliability_views.reliability, name="reliability"),
    path("reliability/progress/", reliability_views.progress, name="reliability_progress"),
    path("reliability/cancel/", reliability_views.cancel, name="cancel_reliability"),
    path("reliability/names/", reliability_views.names, name="show_names"),
    path("ratings/export/", exports_views.export_ratings, name="export_ratings"),
    path("flags/<uuid:pk>/", flag_page, name="flag_page"),
    path("timesheet/", timesheets_views.timesheet, name="timesheet"),
    path("webhooks/", webhooks_views.webhooks, name="webhooks"),
    path("webhooks/<uuid:pk>/test/", webhooks_views.try_out, name="try_webhook"),
    path("webhooks/<uuid:pk>/secret/", webhooks_views.rotate, name="rotate_webhook_secret"),
    path("webhooks/<uuid:pk>/remove/", webhooks_views.remove, name="remove_webhook"),
    path("audit/", audit_pages_views.campaign_audit, name="audit"),
    path("audit/export/", audit_pages_views.export_audit, name="export_audit"),
    path("unblindings/", reliability_views.unblindings, name="unblindings"),
    path("plan/", planning_views.plan, name="plan"),
    path("plan/carry-out/", planning_views.carry_out, name="carry_out_plan"),
    path("plan/by-name/", planning_views.by_name, name="assign_by_name"),
    path("plan/withdraw/", planning_views.withdraw, name="withdraw"),
    path("plan/quota/", planning_views.quota, name="quota"),
    path("calibration/", calibration_views.calibration, name="calibration"),
    path(
        "calibration/candidate/",
        calibration_views.add_calibration_candidate,
        name="add_calibration_candidate",
    ),
    path(
        "calibration/examples/",
        calibration_views.add_calibration_examples,
        name="add_calibration_examples",
    ),
    path(
        "calibration/<uuid:pk>/remove/",
        calibration_views.remove_calibration_item,
        name="remove_calibration_item",
    ),
    path("calibration/switch/", calibration_views.switch, name="switch_calibration"),
    path("plan/qualification/", planning_views.qualification, name="qualification"),
    path("plan/sentinels/", planning_views.sentinels, name="sentinels"),
    path("plan/repeats/", planning_views.repeats, name="repeats"),
    path("import/", imports_views.import_claims, name="import_claims"),
    path("import/template.zip", imports_views.template, name="import_template"),
    path("claims.docx", word_files_views.claims_docx, name="claims_docx"),
    path("import/example.zip", imports_views.example, name="import_example"),
    path("imports/<uuid:pk>/", imports_views.claim_import, name="claim_import"),
    path("imports/<uuid:pk>/progress/", imports_views.progress, name="claim_import_progress"),
    path("imports/<uuid:pk>/confirm/", imports_views.confirm, name="confirm_import"),
    path("imports/<uuid:pk>/cancel/", imports_views.cancel, name="cancel_import"),
    path("imports/<uuid:pk>/source/", imports_views.source, name="import_source"),
    path("imports/<uuid:pk>/answer/", imports_views.answer, name="answer_import"),
    path(
        "imports/<uuid:pk>/claim-sets/<int:number>/",
        imports_views.correct,
        name="correct_claims",
    ),
    path("rulings/", rulings_views.rulings, name="rulings"),
    path("rulings/<uuid:pk>/void/", rulings_views.void, name="void_ruling"),
    path("rulings/<uuid:pk>/docx/", word_files_views.signed_docx, name="signed_docx"),
    path("next/", rating_views.take_next_candidate, name="take_next"),
    path("comparisons/", home.ask, name="ask_comparisons"),
]
urlpatterns = [
    path("", home.home, name="home"),
    path("login/", sign_in.SignIn.as_view(), name="login"),
    path("login/code/", sign_in.SignInCode.as_view(), name="login_code"),
    path("login/with/<slug:name>/", provider_sign_in.begin, name="provider_sign_in"),
    path("login/with/<slug:name>/back/", provider_sign_in.back, name="provider_back"),
    path("login/with/<slug:name>/ended/", provider_sign_in.ended, name="provider_ended"),
    path("logout/", sign_in.SignOut.as_view(), name="logout"),
    path("account/", accounts_views.account, name="account"),
    path("account/providers/<slug:name>/", provider_sign_in.link, name="link_provider"),
    path("account/providers/<uuid:pk>/unlink/", provider_sign_in.unlink, name="unlink_provider"),
    path("account/password/", accounts_views.password, name="account_password"),
    path("account/second-factor/", factor_views.second_factor, name="account_second_factor"),
    path(
        "account/second-factor/codes/", factor_views.new_codes, name="account_second_factor_codes"
    ),
    path(
        "account/second-factor/remove/",
        factor_views.remove_app,
        name="account_second_factor_remove",
    ),
    path(
        "account/second-factor/passkeys/",
        factor_views.passkeys,
        name="account_second_factor_passkeys",
    ),
    path(
        "account/second-factor/passkeys/<uuid:pk>/remove/",
        factor_views.remove_passkey,
        name="account_second_factor_remove_passkey",
    ),
    path("account/mail/", mail_views.account_mail, name="account_mail"),
    path("account/mail/kinds/", mail_views.kinds, name="account_mail_kinds"),
    path("account/mail/remove/", mail_views.remove, name="account_mail_remove"),
    path("account/mail/confirm/<str:token>/", mail_views.confirm, name="account_mail_confirm"),
    path("password/forgotten/", mail_views.forgotten, name="forgotten"),
    path("password/reset/<str:token>/", mail_views.reset, name="reset_password"),
    path("account/tokens/", accounts_views.tokens, name="account_tokens"),
    path("account/tokens/<uuid:pk>/revoke/", accounts_views.revoke, name="account_revoke_token"),
    path("account/sessions/end-others/", accounts_views.end_others, name="account_end_others"),
    path("account/sessions/<uuid:pk>/end/", accounts_views.end_one, name="account_end_session"),
    path("users/", members_views.users, name="users"),
    path("users/sign-on/", entry_views.sign_on, name="sign_on"),
    path(
        "users/sign-on/people/<uuid:pk>/<str:name>/",
        entry_views.answer_newcomer,
        name="answer_newcomer",
    ),
    path("users/sign-on/groups/<uuid:pk>/remove/", entry_views.remove_group, name="remove_group"),
    path(
        "users/sign-on/providers/<slug:name>/test/", entry_views.test_provider, name="test_provider"
    ),
    path("users/<uuid:pk>/<str:name>/", members_views.change_user, name="change_user"),
    path("invitation/<str:token>/", members_views.invitation, name="invitation"),
    path("rated/", home.rated, name="rated"),
    path("rate/<uuid:pk>/", rating_views.rate, name="rate"),
    path("rate/<uuid:pk>/overall/", rating_views.overall, name="overall"),
    path("rate/<uuid:pk>/draft/", rating_views.draft, name="draft"),
    path("rate/<uuid:pk>/draft/discard/", rating_views.discard, name="discard_draft"),
    path("rate/<uuid:pk>/note/", rating_views.own_note, name="own_note"),
    path("rate/<uuid:pk>/ping/", rating_views.ping, name="ping"),
    path("rate/<uuid:pk>/reading/", reading_views.reading, name="reading"),
    path("rate/<uuid:pk>/all/", all_views.all_of_reference, name="all_candidates"),
    path("rate/<uuid:pk>/all/reading/", all_views.all_reading, name="all_candidates_reading"),
    path("rate/<uuid:pk>/all/chart/", context_views.all_chart, name="all_chart"),
    path("rate/<uuid:pk>/chart/", context_views.rate_chart, name="rate_chart"),
    path("rate/<uuid:pk>/context/", context_views.rate_context, name="rate_context"),
    path("rate/<uuid:pk>/context/<int:number>/", context_views.rate_drawing, name="rate_drawing"),
    path("rate/<uuid:pk>/tags/", reading_views.tags, name="tags"),
    path("rate/<uuid:pk>/skip/", rating_views.skip, name="skip"),
    path("rate/<uuid:pk>/recuse/", rating_views.recuse_oneself, name="recuse"),
    path("rate/<uuid:pk>/take-back/", rating_views.take_back, name="take_back"),
    path("rate/<uuid:pk>/flag/", rating_views.flag, name="flag"),
    path("rate/<uuid:pk>/docx/", word_files_views.marks_docx, name="marks_docx"),
    path("calibrate/<uuid:pk>/", calibration_views.calibrate, name="calibrate"),
    path("compare/<uuid:pk>/", comparisons_views.compare, name="compare"),
    path("compare/<uuid:pk>/draft/", comparisons_views.compare_draft, name="compare_draft"),
    path(
        "compare/<uuid:pk>/draft/discard/",
        comparisons_views.discard_comparison,
        name="discard_comparison_draft",
    ),
    path("compare/<uuid:pk>/reading/", comparisons_views.compare_reading, name="compare_reading"),
    path("compare/<uuid:pk>/chart/", comparisons_views.compare_chart, name="compare_chart"),
    path("compare/<uuid:pk>/context/", comparisons_views.compare_context, name="compare_context"),
    path(
        "compare/<uuid:pk>/context/<int:number>/",
        comparisons_views.compare_drawing,
        name="compare_drawing",
    ),
    path("adjudication/", rulings_views.adjudication, name="adjudication"),
    path("adjudication/sign/", rulings_views.sign, name="sign_rulings"),
    path("adjudication/<uuid:pk>/", rulings_views.adjudicate, name="adjudicate"),
    path(
        "adjudication/<uuid:pk>/reading/",
        rulings_views.adjudicate_reading,
        name="adjudicate_reading",
    ),
    path(
        "adjudication/<uuid:pk>/chart/",
        rulings_context_views.adjudicate_chart,
        name="adjudicate_chart",
    ),
    path(
        "adjudication/<uuid:pk>/context/",
        rulings_context_views.adjudicate_context,
        name="adjudicate_context",
    ),
    path(
        "adjudication/<uuid:pk>/context/<int:number>/",
        rulings_context_views.adjudicate_drawing,
        name="adjudicate_drawing",
    ),
    path("adjudication/<uuid:pk>/take/", rulings_views.take, name="take_turn"),
    path("adjudication/<uuid:pk>/give-back/", rulings_views.return_conflict, name="give_back"),
    path("adjudication/<uuid:pk>/send-back/", rulings_views.send_conflict_back, name="send_back"),
    path("adjudication/<uuid:pk>/call-back/", rulings_views.call_conflict_back, name="call_back"),
    path("adjudication/<uuid:pk>/docx/", word_files_views.ruling_docx, name="ruling_docx"),
    path("help/", help_page, name="help"),
    path("api/docs/", api_docs, name="api_docs"),
    path("keys/", reading_views.keys, name="keys"),
    path("rubric/", reading_views.rubric, name="rubric"),
    path("rubric/<str:name>/", reading_views.rubric_criterion, name="rubric_criterion"),
    path("campaigns/new/", campaigns_views.new_campaign, name="new_campaign"),
    path("campaigns/<slug:slug>/", include(OF_CAMPAIGN)),
    path("audit/", audit_pages_views.system_audit, name="system_audit"),
    path("audit/own/", audit_pages_views.own_acts, name="own_acts"),
    path("feedback/<slug:slug>/", reliability_views.feedback, name="feedback"),
    path("healthz", health_views.healthz, name="healthz"),
    path("readyz", health_views.readyz, name="readyz"),
    path("metrics", health_views.metrics, name="metrics"),
]
