-- For wrk: the body of a CarCreated event whose key differs from request to request, in every thread and every start.
local threads = 0

function setup(thread)
  thread:set("seed", os.time() * 64 + threads)
  threads = threads + 1
end

local hexadecimal = function(digits)
  local text = {}
  for position = 1, digits do
    text[position] = string.format("%x", math.random(0, 15))
  end
  return table.concat(text)
end

local uuid = function()
  return string.format("%s-%s-4%s-8%s-%s", hexadecimal(8), hexadecimal(4), hexadecimal(3), hexadecimal(3), hexadecimal(12))
end

function init()
  math.randomseed(seed)
end

local event = '{"eventHeader":{"uuid":"%s","eventName":"CarCreated","createdDate":"2026-11-24T10:00:00.000Z",'
  .. '"savedDate":"2026-11-24T10:00:00.000Z","eventType":"CarCreated"},"eventBody":{"entities":[{"entityType":"Car",'
  .. '"entityId":"%s","updatedAttributes":{"id":"%s","make":"Toyota","model":"Corolla","year":2020,'
  .. '"vin":"1HGCM82633A004352"}}]}}'

function request()
  local key = uuid()
  local body = string.format(event, uuid(), key, key)
  return wrk.format("POST", "/api/v1/events", { ["Content-Type"] = "application/json" }, body)
end
