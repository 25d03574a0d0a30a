class OrderLine < ApplicationRecord
  belongs_to :order, inverse_of: :lines

  validates :sku, format: { with: /\A[A-Z0-9-]{1,40}\z/ }
  validates :quantity, numericality: { only_integer: true, greater_than: 0, less_than_or_equal_to: 1_000 }
  validates :unit_price_cents,
    numericality: { only_integer: true, greater_than_or_equal_to: 0, less_than_or_equal_to: 10_000_000 }
  # The type of the column makes a text of any number.
  validate { errors.add(:sku, "must be a text") unless sku_before_type_cast.is_a?(String) }

  def as_json(*)
    { sku: sku, quantity: quantity, unitPriceCents: unit_price_cents }
  end
end
