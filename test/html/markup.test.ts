import { describe, expect, test } from 'vitest';
import { escapeText, html, jsonBlock, ownText } from '../../core/html/markup.js';

describe('html', () => {
  test('escapes texts in content and in quoted values, and leaves markup as it is', () => {
    const name = `<b> & "c" 'd'`;
    expect(String(html`<p title="${name}">${name}${html`<i>${'<'}</i>`}</p>`)).toBe(
      '<p title="&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;">&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;<i>&lt;</i></p>',
    );
  });

  test('shows lists and numbers, and nothing for null, undefined and false', () => {
    expect(String(html`${[1, ['a', null], undefined, false]}`)).toBe('1a');
  });

  test('makes characters visible that cannot be seen, but for line feeds', () => {
    expect(escapeText('a\u202eb\u0000c\nd\u200b')).toBe('a\\u202eb\\u0000c\nd\\u200b');
  });

  test.each([
    ['a name of an element', (part: string) => html`<${part}>`],
    ['a name of an attribute', (part: string) => html`<p ${part}="x">`],
    ['a value without quotes', (part: string) => html`<p class=${part}>`],
    ['a value in single quotes', (part: string) => html`<p class='${part}'>`],
    ['a script', (part: string) => html`<script>${part}</script>`],
    ['a style', (part: string) => html`<STYLE>${part}</STYLE>`],
  ])('refuses a template with a part in %s', (_, make) => {
    expect(() => make('x')).toThrow(/part stands outside|script or a style/);
  });

  test.each([
    'javascript:alert(1)',
    'https://evil.example/',
    '//evil.example',
    '/etc/passwd',
    'a?b',
    'data:x',
    '',
    ' #a',
  ])('refuses a link to %j', (href) => {
    expect(() => html`<a href="${href}">x</a>`).toThrow('a link leads elsewhere');
  });

  test.each(['#a', '#state=failed&q="', 'runs/a.html', '../index.html', '../../runs/a%20b/x.json', 'a.html#b'])(
    'takes a link to %j',
    (href) => {
      expect(String(html`<a href="${href}">x</a>`)).toContain('href=');
    },
  );
});

test('data within a page are the same data, and end where they should', () => {
  const value = { text: '</script><!--\u2028<script>' };
  const block = String(jsonBlock('data', JSON.stringify(value)));
  expect(block.match(/<\/?script/g)).toHaveLength(2);
  expect(JSON.parse(block.slice(block.indexOf('>') + 1, block.lastIndexOf('<')))).toEqual(value);
});

test('own style and script may not end their element', () => {
  expect(() => ownText('style', 'a{}</style>')).toThrow('would end');
  expect(String(ownText('script', 'a<b'))).toBe('<script>a<b</script>');
});
