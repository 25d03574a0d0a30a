"""The paths of the contract."""

from django.urls import path

from orders import problems, views

urlpatterns = [
    path("orders", views.OrdersView.as_view()),
    path("orders/<int:order_id>", views.OrderView.as_view()),
    path("customers/<int:customer_id>/summary", views.SummaryView.as_view()),
    path("healthz", views.HealthView.as_view()),
]

handler400 = problems.bad_request
handler404 = problems.not_found
handler500 = problems.failed
