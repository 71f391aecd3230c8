// Which names a source file declares itself, for check-layers.mjs: a parameter called `process` is not the process.

/** Where a file declares names of its own that are also names of the world. */
export class Scopes {
  /** @type {{ start: number, end: number }[]} */
  #open = [];
  /** @type {{ name: string, start: number, end: number }[]} */
  #declared = [];

  /** Whether the name is the file's own at this offset. */
  declares(/** @type {{ name: string, offset: number }} */ { name, offset }) {
    return this.#declared.some((one) => one.name === name && one.start <= offset && offset < one.end);
  }

  /** @returns {import('oxc-parser').VisitorObject} */
  visitor() {
    const enter = (/** @type {any} */ node) => {
      this.#open.push(node);
      for (const parameter of node.params ?? []) this.#declare(parameter, node);
      if (node.param) this.#declare(node.param, node);
    };
    const exit = () => void this.#open.pop();
    const kinds = [
      'Program',
      'FunctionDeclaration',
      'FunctionExpression',
      'ArrowFunctionExpression',
      'BlockStatement',
      'ForStatement',
      'ForInStatement',
      'ForOfStatement',
      'CatchClause',
      'TSFunctionType',
      'TSDeclareFunction',
      'TSEmptyBodyFunctionExpression',
    ];
    return {
      ...Object.fromEntries(
        kinds.flatMap((kind) => [
          [kind, enter],
          [`${kind}:exit`, exit],
        ]),
      ),
      VariableDeclarator: (node) => {
        const scope = this.#open.at(-1);
        if (scope !== undefined) this.#declare(node.id, scope);
      },
    };
  }

  /** The names of a method's parameters in an interface. */
  enterSignature(/** @type {any} */ node) {
    for (const parameter of node.params) this.#declare(parameter, node);
  }

  /** Follows a pattern to the names that it binds. */
  #declare(/** @type {any} */ pattern, /** @type {{ start: number, end: number }} */ { start, end }) {
    const waiting = [pattern];
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      if (node.type === 'Identifier') this.#declared.push({ name: node.name, start, end });
      const { left, argument, parameter, elements = [], properties = [] } = node;
      const values = properties.map((/** @type {any} */ one) => one.value ?? one);
      waiting.push(...[left, argument, parameter, ...elements, ...values].filter((one) => one?.type !== undefined));
    }
  }
}
