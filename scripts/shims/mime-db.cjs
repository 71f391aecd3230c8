// Takes mime-db's place in the bundle of the Action: of the thousands of types, those that the harness reads and writes.
module.exports = {
  'application/json': { source: 'iana', charset: 'UTF-8', compressible: true, extensions: ['json', 'map'] },
  'application/octet-stream': { source: 'iana', compressible: true, extensions: ['bin'] },
  'text/event-stream': { source: 'iana', compressible: true },
  'text/html': { source: 'iana', compressible: true, extensions: ['html', 'htm'] },
  'text/plain': { source: 'iana', compressible: true, extensions: ['txt', 'text'] },
};
