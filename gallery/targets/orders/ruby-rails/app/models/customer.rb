class Customer < ApplicationRecord
  has_many :orders

  def summary
    totals = orders.group(:status).pluck(:status, Arel.sql("count(*)"), Arel.sql("sum(total_cents)"))
    counts = totals.to_h { |status, count, _| [status, count] }
    {
      customerId: id,
      name: name,
      orderCount: counts.values.sum,
      totalCents: totals.sum { |_, _, cents| cents.to_i },
      byStatus: Order::STATUSES.to_h { |status| [status, counts.fetch(status, 0)] }
    }
  end
end
