/** What to do by what Node says, in its own words, of a module that does not load; `module` is its path as it was named. */
export function remedyForModule(message: string, module: string): string {
  if (/Cannot find package 'grounding-gate'/.test(message))
    return 'install grounding-gate where the module stands, as the README says';
  if (/Cannot find package /.test(message)) return 'install what the module imports';
  // Another file, and it is the module that imports what is not there.
  if (/Cannot find module '([^']*)'/.exec(message)?.[1]?.endsWith(module.replace(/^(?:\.?\.\/)+/, '')) === true)
    return 'check the path of the module, which agents.yaml gives from its own folder';
  if (message.includes('SyntaxError: ')) return `mend the module; node --check ${module} shows the line`;
  return 'mend the module; it must load, and export by default what defineAgent of grounding-gate/agent returns';
}
