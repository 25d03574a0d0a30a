# Errors as problems of RFC 9457.
module Problem
  MEDIA_TYPE = "application/problem+json".freeze

  def self.body(status, detail)
    { type: "about:blank", title: Rack::Utils::HTTP_STATUS_CODES.fetch(status), status: status, detail: detail }
  end

  # Rails calls it with the status as the path.
  def self.of_exception(env)
    status = env["PATH_INFO"].delete("/").to_i
    [status, { "content-type" => MEDIA_TYPE }, [body(status, "the request could not be processed").to_json]]
  end
end
