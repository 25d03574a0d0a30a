"""The messages of the contract: each form validates one JSON object, its fields by the names of the members."""

from django import forms

from orders.models import Order

MAX_WHOLE = 2**53 - 1


class SkuField(forms.RegexField):
    def __init__(self) -> None:
        super().__init__(r"\A[A-Z0-9-]{1,40}\Z", strip=False)

    def to_python(self, value: object) -> str:
        # A CharField takes the text of whatever it gets.
        if not isinstance(value, str):
            raise forms.ValidationError("Enter a text.")
        return super().to_python(value)


def whole(*, required: bool = True) -> forms.IntegerField:
    return forms.IntegerField(min_value=-MAX_WHOLE, max_value=MAX_WHOLE, required=required)


class LineForm(forms.Form):
    sku = SkuField()
    quantity = forms.IntegerField(min_value=1, max_value=1000)
    unitPriceCents = forms.IntegerField(min_value=0, max_value=10_000_000)  # noqa: N815 (the member's name)


class NewOrderForm(forms.Form):
    customerId = whole()  # noqa: N815 (the member's name)


class ChangeForm(forms.Form):
    status = forms.ChoiceField(choices=Order.Status)
    version = whole()


class ListingForm(forms.Form):
    customer = whole()
    status = forms.ChoiceField(choices=Order.Status, required=False)
    after = whole(required=False)
    limit = forms.IntegerField(min_value=1, max_value=100, required=False)
