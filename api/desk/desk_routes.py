"""The routes of the desk. They stand apart from its row: pages are made of parts that all capabilities add to."""

from __future__ import annotations

from api.desk import (
    account_page,
    archive_page,
    comments_page,
    match_settings_page,
    matches_page,
    new_by_hand_page,
    new_match_page,
    openid_sign_in,
    queue_page,
    rules_page,
    sign_in,
)
from api.desk.desk_frame import STATIC
from api.desk.handlers import CODE_STEP, SIGN_IN, desk_form, desk_fragment, desk_page, desk_report
from api.desk.liveblog_view import PATH, report_open, show_form, show_liveblog, show_posts
from api.http.routing import Route
from api.http.static import folder
from mapping.desk.cross_site import HOME

# fmt: off
DESK_ROUTES = (
    Route("GET", HOME, desk_page(matches_page.show_matches), "desk"),
    Route("GET", matches_page.TABLE, desk_fragment(matches_page.table_fragment), "desk"),
    Route("POST", matches_page.ACT, desk_form(matches_page.act_on_matches), "desk"),
    Route("GET", matches_page.NEW, desk_page(new_match_page.show_new_match), "desk"),
    Route("POST", matches_page.NEW, desk_form(new_match_page.submit_new_match), "desk"),
    *new_by_hand_page.ROUTES,
    Route("GET", match_settings_page.MATCH, desk_page(match_settings_page.show_settings), "desk"),
    Route("POST", f"{match_settings_page.MATCH}/settings", desk_form(match_settings_page.save_settings), "desk"),
    Route("POST", f"{match_settings_page.MATCH}/sources", desk_form(match_settings_page.save_sources), "desk"),
    Route("POST", f"{match_settings_page.MATCH}/detach", desk_form(match_settings_page.detach), "desk"),
    Route("GET", rules_page.RULES, desk_page(rules_page.show_rules), "desk"),
    Route("POST", rules_page.RULES, desk_form(rules_page.write_rule), "desk"),
    Route("POST", f"{rules_page.RULES}/try", desk_form(rules_page.try_again), "desk"),
    Route("GET", queue_page.QUEUE, desk_page(queue_page.show_queue), "desk"),
    Route("GET", queue_page.LISTED, desk_fragment(queue_page.queue_fragment), "desk"),
    Route("POST", queue_page.ACT, desk_form(queue_page.answer), "desk"),
    Route("GET", comments_page.COMMENTS, desk_page(comments_page.show_comments), "desk"),
    Route("GET", comments_page.LISTED, desk_fragment(comments_page.comments_fragment), "desk"),
    Route("POST", comments_page.ACT, desk_form(comments_page.act_on_comment), "desk"),
    Route("GET", "/desk/static/{version}/{name}", folder(STATIC), "open"),
    Route("GET", SIGN_IN, sign_in.show_sign_in, "desk"),
    Route("POST", SIGN_IN, sign_in.sign_in, "desk"),
    Route("GET", CODE_STEP, sign_in.show_step, "desk"),
    Route("POST", CODE_STEP, sign_in.send_code, "desk"),
    Route("GET", openid_sign_in.BEGIN, openid_sign_in.begin_openid, "desk"),
    Route("GET", openid_sign_in.BACK, openid_sign_in.finish_openid, "desk"),
    Route("GET", "/desk/session", desk_fragment(sign_in.show_session), "desk"),
    Route("POST", "/desk/sign-out", desk_form(sign_in.sign_out), "desk"),
    Route("GET", account_page.ACCOUNT, desk_page(account_page.show_account), "desk"),
    Route("POST", f"{account_page.ACCOUNT}/password", desk_form(account_page.change_password), "desk"),
    Route("POST", account_page.FACTOR, desk_form(account_page.change_factor), "desk"),
    Route("POST", f"{account_page.ACCOUNT}/end-session", desk_form(account_page.end_session), "desk"),
    Route("POST", f"{account_page.ACCOUNT}/end-everywhere", desk_form(account_page.end_everywhere), "desk"),
    Route("GET", archive_page.ARCHIVE, desk_page(archive_page.show_archive), "desk"),
    Route("POST", archive_page.ACT, desk_form(archive_page.act_on_liveblog), "desk"),
    Route("GET", PATH, desk_page(show_liveblog), "desk"),
    Route("GET", f"{PATH}/posts", desk_fragment(show_posts), "desk"),
    Route("GET", f"{PATH}/form", desk_fragment(show_form), "desk"),
    Route("POST", f"{PATH}/open", desk_report(report_open), "desk"),
)
# fmt: on
