"""No form of a URL or of a connection string shows its password."""

import pytest

from bakeoff.postgres.server import DatabaseUnreachableError, Server
from bakeoff.text.redaction import redacted, secrets_of

SECRET = "hunter2-and-more"

URLS = [
    f"postgresql://user:{SECRET}@host:5432/name",
    f"postgres://user:{SECRET}@host1:1,host2:2/name?sslmode=require",
    f"postgresql://:{SECRET}@/name?host=/run/postgresql",
    f"postgresql://user:{SECRET}/with/slashes@host/name",
    f"postgresql://user:{SECRET}@and@ats@host/name",
    f"postgresql+psycopg://user:{SECRET}@host/name",
    f"postgresql://host/name?password={SECRET}",
    f"postgresql://host/name?user=u&password={SECRET}&sslmode=require",
    f"postgresql://host/name?PASSWORD={SECRET}",
    f"postgresql://host/name?pass%77ord={SECRET}",
    f"postgresql://user:{SECRET}@host/name?sslpassword={SECRET}",
    f"http://user:{SECRET}@host:8081/",
    f"https://host/path?access_token={SECRET}#top",
    f"host=h user=u password={SECRET} dbname=d",
    f"host=h password='{SECRET}' dbname=d",
    f"host=h password = '{SECRET} it\\'s' dbname=d",
    f'{{"url": "x", "password": "{SECRET}"}}',
    f"DB_PASSWORD={SECRET}",
    f"spring.datasource.password: {SECRET}",
    f'{{"accessToken":"{SECRET}","id":7}}',
    f"{{'X-Api-Key': '{SECRET}'}}",
    f'{{"detail":{{"client_secret" : "{SECRET}',
    f"Authorization: Bearer {SECRET}",
    f"authorization=Basic {SECRET}, accept=*/*",
]


@pytest.mark.parametrize("text", URLS)
def test_no_form_shows_the_password(text: str) -> None:
    assert SECRET not in redacted(text)
    assert SECRET not in redacted(f'cannot connect to "{text}": refused')


def test_what_is_no_secret_stays() -> None:
    url = "postgresql://user@host:5432/name?sslmode=require"
    assert redacted(url) == url
    assert redacted(f"postgresql://user:{SECRET}@host:5432/name?sslmode=require") == url
    sentence = "http://127.0.0.1:8081/a@b does not answer. authorization: a valid bearer token is required"
    assert redacted(sentence) == sentence
    document = '{"detail":[{"loc":["body","token"],"msg":"invalid token: unexpected end"}]}'
    assert redacted(document) == document
    assert redacted(f'{{"state": "new", "password": "{SECRET}"}}') == '{"state": "new", "password": ***}'


def test_secrets_are_found_as_written_and_decoded() -> None:
    assert secrets_of("postgresql://u:p%40ss-word@h/d") == {"p%40ss-word", "p@ss-word"}


@pytest.mark.parametrize(
    "url",
    [
        f"postgresql://user:{SECRET}@127.0.0.1:1/name",
        f"postgresql://user:{SECRET}%zz@127.0.0.1:1/name",
        f"postgresql://127.0.0.1:1/name?password={SECRET}",
        f"postgresql://127.0.0.1:1/name?password={SECRET}=more",
        f"postgresql://user:{SECRET}/x@127.0.0.1:1/name",
    ],
)
def test_a_database_that_cannot_be_reached_does_not_show_it(url: str) -> None:
    server = Server(url, None, embedded=False)
    assert SECRET not in server.shown_url
    with pytest.raises(DatabaseUnreachableError) as raised, server.connect():
        pass
    assert SECRET not in raised.value.message
