class OrdersController < ApplicationController
  def index
    query = OrderQuery.new(params.permit(:customer, :status, :after, :limit))
    query.validate!
    orders = query.orders.to_a
    render json: { items: orders, nextAfter: (orders.last.id if orders.size == query.limit.to_i) }
  end

  def create
    order = Order.new(customer_id: params[:customerId])
    lines.each.with_index(1) do |line, position|
      order.lines.build(
        position: position, sku: line[:sku], quantity: line[:quantity], unit_price_cents: line[:unitPriceCents]
      )
    end
    order.save!
    render json: order.with_lines, status: :created, location: order_path(order)
  end

  def show
    render json: Order.find(params[:id]).with_lines
  end

  def update
    change = OrderChange.new(params.permit(:status, :version))
    change.validate!
    order = Order.find(params[:id])
    order.change!(change)
    render json: order
  end

  # PostgreSQL deletes the lines with their order.
  def destroy
    raise ActiveRecord::RecordNotFound if Order.delete_by(id: params[:id]).zero?

    head :no_content
  end

  private

  def lines
    found = params.require(:lines)
    return found if found.is_a?(Array) && found.all?(ActionController::Parameters)

    raise ActionController::BadRequest, "lines: must be a list of objects"
  end
end
