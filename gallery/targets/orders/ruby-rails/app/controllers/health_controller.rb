class HealthController < ApplicationController
  rescue_from(ActiveRecord::ActiveRecordError, PG::Error) { problem 503, "PostgreSQL does not answer" }

  def show
    ActiveRecord::Base.connection.select_value("SELECT 1")
    render json: { status: "ok" }
  end
end
