// Takes iconv-lite's place in the bundle of the Action: half a megabyte of tables for encodings that no body here has. The harness reads
// bodies as bytes (core/io/a2a-server.ts), which asks for no encoding at all; whoever asks for one is told that it is unknown.
/** @param {unknown} encoding */
const refuse = (encoding) => {
  throw new Error(`Encoding not recognized: '${encoding}'`);
};

module.exports = {
  encodingExists: () => false,
  getDecoder: refuse,
  /** @param {unknown} _ @param {unknown} encoding */
  decode: (_, encoding) => refuse(encoding),
};
