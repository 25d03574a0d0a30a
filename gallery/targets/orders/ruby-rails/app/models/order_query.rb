# The parameters of a page of orders, as texts.
class OrderQuery
  include ActiveModel::Model

  MAX_WHOLE = 2**53 - 1
  WHOLE = { only_integer: true, greater_than_or_equal_to: -MAX_WHOLE, less_than_or_equal_to: MAX_WHOLE }.freeze

  attr_accessor :customer, :status, :after
  attr_writer :limit

  validates :customer, numericality: WHOLE
  validates :status, inclusion: { in: Order::STATUSES }, allow_nil: true
  validates :after, numericality: WHOLE, allow_nil: true
  validates :limit, numericality: { only_integer: true, greater_than: 0, less_than_or_equal_to: 100 }

  def limit
    @limit || "20"
  end

  def orders
    found = Order.where(customer_id: customer.to_i).order(id: :desc).limit(limit.to_i)
    found = found.where(status: status) if status
    found = found.where(id: ...after.to_i) if after
    found
  end
end
