'use strict'
// Preloaded into Node.js while both sides are profiled: samples what V8 allocates between the files `start` and `stop`.
// Files and no signal, which the service may use itself.
const fs = require('node:fs')
const path = require('node:path')
const { Session } = require('node:inspector')
const { isMainThread } = require('node:worker_threads')

const folder = process.env.BAKEOFF_ALLOCATIONS
const SAMPLING = { samplingInterval: 16384, includeObjectsCollectedByMajorGC: true, includeObjectsCollectedByMinorGC: true }

const bytesBelow = (node) => node.selfSize + node.children.reduce((sum, child) => sum + bytesBelow(child), 0)

function write(name, text) {
  fs.writeFileSync(path.join(folder, `.${name}`), text)
  fs.renameSync(path.join(folder, `.${name}`), path.join(folder, name))
}

if (folder && isMainThread) {
  const session = new Session()
  const actions = {
    start() {
      session.connect()
      session.post('HeapProfiler.startSampling', SAMPLING, () => write(`${process.pid}.started`, ''))
    },
    stop() {
      session.post('HeapProfiler.stopSampling', (error, result) => {
        write(`${process.pid}.bytes`, String(error ? '' : bytesBelow(result.profile.head)))
      })
    },
  }
  fs.watch(folder, { persistent: false }, (_, name) => {
    const action = actions[name]
    delete actions[name]
    if (action) action()
  })
}
