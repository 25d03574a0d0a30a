class ApplicationController < ActionController::API
  rescue_from ActiveRecord::RecordInvalid, ActiveModel::ValidationError, ActionController::BadRequest, with: :refuse
  rescue_from(ActiveRecord::InvalidForeignKey) { problem 400, "customerId: no such customer" }
  rescue_from(ActiveRecord::RecordNotFound) { problem 404, "not found" }
  rescue_from(ActiveRecord::StaleObjectError) { problem 409, "version: the order has another version" }

  private

  def refuse(error)
    problem 400, error.message
  end

  def problem(status, detail)
    render json: Problem.body(status, detail), status: status, content_type: Problem::MEDIA_TYPE
  end
end
