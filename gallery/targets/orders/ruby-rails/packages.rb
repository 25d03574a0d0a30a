# Debian's packages stand for a lock file: any other release than that of the labels in target.toml is refused.
RELEASES = {
  "actionpack" => "~> 6.1.7",
  "activerecord" => "~> 6.1.7",
  "railties" => "~> 6.1.7",
  "pg" => "~> 1.4.5",
  "puma" => "~> 5.6.5"
}.freeze

RELEASES.each do |name, release|
  gem name, release
rescue Gem::MissingSpecError => error
  abort "#{error.message}\nInstall Debian 12's ruby-railties, ruby-activerecord, ruby-actionpack, ruby-pg and puma."
end

puts "ruby #{RUBY_VERSION}", RELEASES.keys.map { |name| "#{name} #{Gem.loaded_specs.fetch(name).version}" }
