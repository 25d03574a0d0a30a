Rails.application.routes.draw do
  constraints id: /\d+/ do
    resources :orders, only: %i[index create show update destroy]
    resources :customers, only: [] do
      get :summary, on: :member
    end
  end
  get "healthz", to: "health#show"
end
