require "etc"

worker_count = Integer(ENV.fetch("WORKERS") { Etc.nprocessors })
# A thread for each connection: config/database.yml reads the same variable.
ENV["RAILS_MAX_THREADS"] ||= [Integer(ENV.fetch("DB_POOL_SIZE", "16")) / worker_count, 1].max.to_s
thread_count = Integer(ENV["RAILS_MAX_THREADS"])

environment ENV.fetch("RAILS_ENV", "production")
bind "tcp://#{ENV.fetch("BIND", "127.0.0.1")}:#{ENV.fetch("PORT", "8080")}"
workers worker_count
threads thread_count, thread_count
preload_app!
worker_shutdown_timeout 9
