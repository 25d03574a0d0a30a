-- For wrk: CarCreated events with new random keys. Its thread writes as little in Lua as it can: the request is text with
-- three places for one key, which is a UUID, random and with its own number.
local threads = 0

function setup(thread)
  thread:set("seed", os.time() * 64 + threads)
  threads = threads + 1
end

local place = "00000000-0000-0000-0000-000000000000"
local event = string.format('{"eventHeader":{"uuid":"%s","eventName":"CarCreated","createdDate":"2026-11-24T10:00:00.000Z",'
  .. '"savedDate":"2026-11-24T10:00:00.000Z","eventType":"CarCreated"},"eventBody":{"entities":[{"entityType":"Car",'
  .. '"entityId":"%s","updatedAttributes":{"id":"%s","make":"Toyota","model":"Corolla","year":2020,'
  .. '"vin":"1HGCM82633A004352"}}]}}', place, place, place)

local parts = {}
local sequence = 0

function init()
  math.randomseed(seed)
  local whole = wrk.format("POST", "/api/v1/events", { ["Content-Type"] = "application/json" }, event)
  local from = 1
  repeat
    local first, last = whole:find(place, from, true)
    parts[#parts + 1] = whole:sub(from, (first or 0) - 1)
    from = (last or 0) + 1
  until first == nil
end

function request()
  sequence = sequence + 1
  local key = string.format("%08x-%04x-4000-8000-%012x", math.random(0, 0xffffffff), math.random(0, 0xffff), sequence)
  return parts[1] .. key .. parts[2] .. key .. parts[3] .. key .. parts[4]
end
