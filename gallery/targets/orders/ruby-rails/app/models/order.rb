class Order < ApplicationRecord
  STATUSES = %w[new paid shipped cancelled].freeze

  self.locking_column = :version

  belongs_to :customer
  has_many :lines, -> { order(:position) }, class_name: "OrderLine",
    inverse_of: :order, autosave: true, index_errors: true

  validates :customer_id, numericality: { only_integer: true }
  validates :status, inclusion: { in: STATUSES }
  validates :lines, length: { in: 1..20 }, on: :create

  before_create { self.total_cents = lines.sum { |line| line.quantity * line.unit_price_cents } }

  # Saved even where the status stays as it was. The lock compares the version once more, in the UPDATE.
  def change!(wanted)
    raise ActiveRecord::StaleObjectError.new(self, "update") unless wanted.version.to_i == version

    status_will_change!
    update!(status: wanted.status)
  end

  def as_json(*)
    { id: id, customerId: customer_id, status: status, totalCents: total_cents, version: version, createdAt: created_at }
  end

  def with_lines
    as_json.merge(lines: lines.map(&:as_json))
  end
end
