# /// script
# requires-python = ">=3.11"
# dependencies = ["django==5.2.19", "djangorestframework==3.18.3", "drf-spectacular==0.30.0"]
# ///
"""A small service of Django REST framework, described by drf-spectacular: it has PORT, and keeps rows in FOLDER."""

import os
import sys
from pathlib import Path

import django
from django.conf import settings
from django.core.management import call_command

settings.configure(
    SECRET_KEY="of-tests",
    ROOT_URLCONF=__name__,
    ALLOWED_HOSTS=["*"],
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": Path(os.environ["FOLDER"]) / "rows.sqlite"}},
    INSTALLED_APPS=[
        "django.contrib.contenttypes",
        "django.contrib.auth",
        "rest_framework",
        "rest_framework.authtoken",
        "drf_spectacular",
    ],
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    USE_TZ=True,
    REST_FRAMEWORK={
        "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
        "DEFAULT_AUTHENTICATION_CLASSES": ["rest_framework.authentication.TokenAuthentication"],
        "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
        "DEFAULT_PAGINATION_CLASS": "rest_framework.pagination.PageNumberPagination",
        "PAGE_SIZE": 20,
    },
    SPECTACULAR_SETTINGS={"TITLE": "Library", "VERSION": "1"},
)
django.setup()

from django.contrib.auth.models import User  # noqa: E402
from django.core.validators import RegexValidator  # noqa: E402
from django.db import connection, models  # noqa: E402
from django.urls import include, path  # noqa: E402
from drf_spectacular.utils import OpenApiExample, extend_schema  # noqa: E402
from drf_spectacular.views import SpectacularAPIView  # noqa: E402
from rest_framework import serializers, viewsets  # noqa: E402
from rest_framework.authtoken.views import ObtainAuthToken  # noqa: E402
from rest_framework.decorators import action  # noqa: E402
from rest_framework.permissions import AllowAny  # noqa: E402
from rest_framework.request import Request  # noqa: E402
from rest_framework.response import Response  # noqa: E402
from rest_framework.routers import DefaultRouter  # noqa: E402


class Author(models.Model):
    name = models.CharField(max_length=60, unique=True)
    born = models.DateField(null=True)
    site = models.URLField(blank=True)

    class Meta:
        app_label = "library"


class Book(models.Model):
    class Genre(models.TextChoices):
        NOVEL = "novel"
        POETRY = "poetry"

    title = models.CharField(max_length=80)
    author = models.ForeignKey(Author, on_delete=models.CASCADE)
    isbn = models.CharField(max_length=13, validators=[RegexValidator(r"^97[89]\d{10}$")])
    price = models.DecimalField(max_digits=6, decimal_places=2)
    genre = models.CharField(max_length=10, choices=Genre)
    published = models.DateTimeField()
    pages = models.PositiveSmallIntegerField()
    lent = models.BooleanField(default=False)

    class Meta:
        app_label = "library"


class AuthorSerializer(serializers.ModelSerializer):
    class Meta:
        model = Author
        fields = ("id", "name", "born", "site")


class BookSerializer(serializers.ModelSerializer):
    class Meta:
        model = Book
        fields = "__all__"


class LoanSerializer(serializers.Serializer):
    days = serializers.IntegerField(min_value=1, max_value=30)


class AuthorViewSet(viewsets.ModelViewSet):
    queryset = Author.objects.order_by("id")
    serializer_class = AuthorSerializer


class BookViewSet(viewsets.ModelViewSet):
    queryset = Book.objects.order_by("id")
    serializer_class = BookSerializer

    @extend_schema(request=LoanSerializer, responses=BookSerializer)
    @action(detail=True, methods=["post"])
    def lend(self, request: Request, **_: str) -> Response:
        loan = LoanSerializer(data=request.data)
        loan.is_valid(raise_exception=True)
        book = self.get_object()
        book.lent = True
        book.save()
        return Response(BookSerializer(book).data)


_CREDENTIALS = {"username": "ada", "password": "correct horse"}


class Login(ObtainAuthToken):
    @extend_schema(auth=[], examples=[OpenApiExample("ada", value=_CREDENTIALS, request_only=True)])
    def post(self, request: Request) -> Response:
        return super().post(request)


router = DefaultRouter()
router.register("authors", AuthorViewSet)
router.register("books", BookViewSet)
urlpatterns = [
    path("api/", include(router.urls)),
    path("api/login/", Login.as_view(permission_classes=[AllowAny])),
    path("api/schema/", SpectacularAPIView.as_view(permission_classes=[AllowAny])),
]


def main() -> None:
    if "description" in sys.argv:
        call_command("spectacular", format="openapi-json")
        return
    call_command("migrate", verbosity=0)
    with connection.schema_editor() as editor:
        for model in (Author, Book):
            editor.create_model(model)
    User.objects.create_user(**_CREDENTIALS)
    call_command("runserver", f"127.0.0.1:{os.environ['PORT']}", "--noreload", "--nothreading", verbosity=0)


if __name__ == "__main__":
    main()
