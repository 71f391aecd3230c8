// Takes undici's place in the bundle of the Action: of all it has, the Action and the toolkit call these two. Its parts have no declarations.
// @ts-expect-error
const Dispatcher = require('../../node_modules/undici/lib/dispatcher/dispatcher.js');
// @ts-expect-error
const ProxyAgent = require('../../node_modules/undici/lib/dispatcher/proxy-agent.js');
// @ts-expect-error
const { fetch } = require('../../node_modules/undici/lib/web/fetch/index.js');

// As undici's own index does for every dispatcher; a proxy is asked for its tunnel by it.
// @ts-expect-error
Dispatcher.prototype.connect = require('../../node_modules/undici/lib/api/api-connect.js');

module.exports = { ProxyAgent, fetch };
