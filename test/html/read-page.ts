import { type DefaultTreeAdapterTypes, parse } from 'parse5';

/** An element as a browser sees it. */
export interface Element {
  readonly tag: string;
  readonly attributes: ReadonlyMap<string, string>;
  /** All text below it. */
  readonly text: string;
}

/** What a browser makes of a whole page. */
export interface ReadPage {
  readonly elements: readonly Element[];
  readonly comments: readonly string[];
  all(tag: string): readonly Element[];
}

/** Reads a page as a browser does. */
export function readPage(page: string): ReadPage {
  const elements: Element[] = [];
  const comments: string[] = [];
  const textBelow = (node: DefaultTreeAdapterTypes.Node): string => {
    if ('value' in node) return node.value;
    return 'childNodes' in node ? node.childNodes.map(textBelow).join('') : '';
  };
  const visit = (node: DefaultTreeAdapterTypes.Node): void => {
    if (node.nodeName === '#comment' && 'data' in node) comments.push(node.data);
    if ('tagName' in node) {
      const attributes = new Map(node.attrs.map(({ name, value }) => [name, value]));
      elements.push({ tag: node.tagName, attributes, text: textBelow(node) });
      if ('content' in node) visit(node.content);
    }
    if ('childNodes' in node) for (const child of node.childNodes) visit(child);
  };
  visit(parse(page));
  return { elements, comments, all: (tag) => elements.filter((one) => one.tag === tag) };
}
