// Takes @octokit/plugin-rest-endpoint-methods' place in the bundle of the Action, which names every route itself: a method for each of
// GitHub's thousand routes would be a thirtieth of dist/.
export const restEndpointMethods = () => ({});
