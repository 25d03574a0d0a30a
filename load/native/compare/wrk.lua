-- A body that differs from request to request, as a load test's must: the price of that is part of the comparison.
local padding = string.rep("x", 360)
local sequence = 0

request = function()
  sequence = sequence + 1
  local body = string.format('{"id":%d,"price":%.2f,"text":"%s"}', sequence, math.random() * 100, padding)
  return wrk.format("POST", nil, { ["Content-Type"] = "application/json" }, body)
end
