# A new status for an order, and the version that the client has read.
class OrderChange
  include ActiveModel::Model

  attr_accessor :status, :version

  validates :status, inclusion: { in: Order::STATUSES }
  validates :version, numericality: { only_integer: true }
end
