import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5';

/** Markdown as GitHub's dialect has it, before GitHub's own filters: HTML passes as it is. */
export function htmlOf(markdown: string): string {
  return micromark(markdown, {
    extensions: [gfm()],
    htmlExtensions: [gfmHtml()],
    allowDangerousHtml: true,
    allowDangerousProtocol: true,
  });
}

/** A piece of text with the elements around it, outermost first. */
export interface TextPiece {
  readonly text: string;
  readonly inside: readonly string[];
}

/** What a browser makes of HTML. */
export interface Page {
  readonly texts: readonly TextPiece[];
  /** Tag names with their attributes, as `a href`. */
  readonly elements: readonly string[];
  readonly comments: readonly string[];
}

/** Reads HTML as a browser does. */
export function pageOf(html: string): Page {
  const texts: TextPiece[] = [];
  const elements: string[] = [];
  const comments: string[] = [];
  const visit = (node: DefaultTreeAdapterTypes.ChildNode, inside: readonly string[]): void => {
    if (node.nodeName === '#text' && 'value' in node) texts.push({ text: node.value, inside });
    else if (node.nodeName === '#comment' && 'data' in node) comments.push(node.data);
    else if ('tagName' in node) {
      elements.push([node.tagName, ...node.attrs.map(({ name, value }) => `${name}=${value}`)].join(' '));
      for (const child of node.childNodes) visit(child, [...inside, node.tagName]);
    }
  };
  for (const child of parseFragment(html).childNodes) visit(child, []);
  return { texts, elements, comments };
}
