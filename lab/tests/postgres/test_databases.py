import pytest

from bakeoff.postgres.databases import metrics_url, settings_file


@pytest.mark.parametrize(
    ("environment", "url"),
    [
        ({}, None),
        ({"METRICS_DATABASE_URL": "postgresql://a/b", "DB_HOST": "c"}, "postgresql://a/b"),
        ({"DB_HOST": "db"}, "postgresql://postgres:password@db:5432/performance_metrics"),
        (
            {"DB_HOST": "db", "DB_PORT": "5433", "DB_NAME": "m x", "DB_USER": "u@v", "DB_PASSWORD": "p/q:r"},
            "postgresql://u%40v:p%2Fq%3Ar@db:5433/m%20x",
        ),
    ],
)
def test_the_documented_variables_make_a_url(environment: dict[str, str], url: str | None) -> None:
    assert metrics_url(environment) == url


@pytest.mark.parametrize("setting", ["fsync", "synchronous_commit", "full_page_writes"])
def test_the_published_settings_keep_durability_on(setting: str) -> None:
    assert f"\n{setting} = on\n" in settings_file().read_text("utf-8")
