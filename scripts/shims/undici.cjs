// Takes undici's place in the bundle of the Action: of all it has, the toolkit calls these two. Its parts have no declarations.
// @ts-expect-error
const ProxyAgent = require('../../node_modules/undici/lib/dispatcher/proxy-agent.js');
// @ts-expect-error
const { fetch } = require('../../node_modules/undici/lib/web/fetch/index.js');

module.exports = { ProxyAgent, fetch };
