// @ts-check
// Asks an OpenAI-compatible server to word findings. Its answer is hostile text: only sentences for findings that exist
// are taken from it, and anything else is dropped.

/** @typedef {import('./findings.js').Finding} Finding */

const TIMEOUT_MS = 30_000;
const MAX_ANSWER_BYTES = 1_000_000;
const MAX_WORDING_LENGTH = 500;

const INSTRUCTIONS =
  'You are given findings on a metadata record as a JSON object from rule to sentence. Reword each sentence for the author of the record, plainly and in one sentence. Answer with a JSON object that has exactly the same keys. Add nothing.';

/**
 * @typedef {{ wordings: Map<string, string>, usage: { input_tokens?: number, output_tokens?: number, model_id?: string } }} Worded
 */

/**
 * One call to the server. Rejects when it is down, answers with an error, or answers with something else than the asked JSON.
 *
 * @param {{ url: string, model: string, findings: readonly Finding[] }} request
 * @returns {Promise<Worded>}
 */
export async function wordFindings({ url, model, findings }) {
  const sentences = Object.fromEntries(findings.map(({ rule, wording }) => [rule, wording]));
  const response = await fetch(`${url.replace(/\/+$/, '')}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    redirect: 'error',
    signal: AbortSignal.timeout(TIMEOUT_MS),
    body: JSON.stringify({
      model,
      temperature: 0,
      response_format: { type: 'json_object' },
      messages: [
        { role: 'system', content: INSTRUCTIONS },
        { role: 'user', content: JSON.stringify(sentences) },
      ],
    }),
  });
  if (!response.ok) throw new Error(`the model server answered with status ${response.status}`);
  const answer = JSON.parse(await bounded(response));
  return { wordings: wordingsIn(answer?.choices?.[0]?.message?.content, findings), usage: usageOf(answer) };
}

/**
 * The sentences for known findings; a finding that the model passed over, or answered with something else, is left out.
 *
 * @param {unknown} content
 * @param {readonly Finding[]} findings
 */
function wordingsIn(content, findings) {
  const answer = JSON.parse(String(content));
  /** @type {Map<string, string>} */
  const wordings = new Map();
  for (const { rule } of findings) {
    const wording =
      typeof answer === 'object' && answer !== null && Object.hasOwn(answer, rule) ? answer[rule] : undefined;
    if (
      typeof wording === 'string' &&
      wording.trim() !== '' &&
      wording.length <= MAX_WORDING_LENGTH &&
      wording.isWellFormed()
    ) {
      wordings.set(rule, wording.trim());
    }
  }
  return wordings;
}

/** @param {any} answer @returns {Worded['usage']} */
function usageOf(answer) {
  const count = (/** @type {unknown} */ tokens) =>
    Number.isSafeInteger(tokens) && Number(tokens) >= 0 ? Number(tokens) : undefined;
  const input_tokens = count(answer?.usage?.prompt_tokens);
  const output_tokens = count(answer?.usage?.completion_tokens);
  const model_id = typeof answer?.model === 'string' && answer.model !== '' ? answer.model : undefined;
  return {
    ...(input_tokens === undefined ? {} : { input_tokens }),
    ...(output_tokens === undefined ? {} : { output_tokens }),
    ...(model_id === undefined ? {} : { model_id }),
  };
}

/** @param {Response} response */
async function bounded(response) {
  const chunks = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength;
    if (size > MAX_ANSWER_BYTES) throw new Error(`the model server answered with more than ${MAX_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
