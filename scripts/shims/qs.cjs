// Takes qs's place in the bundle of the Action: express asks for it where a query is read in its extended form, or a form's body is. Neither
// is here; whoever asks is told.
const refuse = () => {
  throw new Error('extended queries are not read here');
};

module.exports = { parse: refuse, stringify: refuse };
