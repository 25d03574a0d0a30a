require "rails"
require "active_model/railtie"
require "active_record/railtie"
require "action_controller/railtie"
require "pg"

require_relative "../app/problem"

module Shop
  class Application < Rails::Application
    # The defaults of the release that is there: the same source runs on old and new ones.
    config.load_defaults "#{Rails::VERSION::MAJOR}.#{Rails::VERSION::MINOR}"
    config.api_only = true
    # Otherwise Rails removes each null from a list, and a line that is null would be none.
    config.action_dispatch.perform_deep_munge = false
    # Errors outside of controllers: broken JSON, unknown paths, failures.
    config.exceptions_app = Problem.method(:of_exception)
  end
end
