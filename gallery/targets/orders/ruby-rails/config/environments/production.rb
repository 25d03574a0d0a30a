Rails.application.configure do
  config.eager_load = true
  config.consider_all_requests_local = false

  config.log_level = :warn
  config.logger = ActiveSupport::Logger.new($stdout)

  # Nothing is signed that outlives the process.
  config.secret_key_base = SecureRandom.hex(64)
end
