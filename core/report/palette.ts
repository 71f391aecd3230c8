import pc from 'picocolors';

/** The colours of a terminal, or functions that change nothing. */
export interface Palette {
  readonly good: (text: string) => string;
  readonly bad: (text: string) => string;
  readonly doubtful: (text: string) => string;
  readonly quiet: (text: string) => string;
  readonly strong: (text: string) => string;
}

/** The caller decides about colour: the library's own guess paints into pipes when CI is set. */
export function paletteOf(colour: boolean): Palette {
  const colours = pc.createColors(colour);
  return {
    good: colours.green,
    bad: colours.red,
    doubtful: colours.yellow,
    quiet: colours.dim,
    strong: colours.bold,
  };
}
