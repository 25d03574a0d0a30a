class CustomersController < ApplicationController
  def summary
    render json: Customer.find(params[:id]).summary
  end
end
