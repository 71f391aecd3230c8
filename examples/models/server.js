// @ts-check
// Stands in for an OpenAI-compatible model server: answers with the first sentence of what it is given, under the full name of the
// model that it is asked for. `node examples/models/server.js [PORT]`, 11434 by itself, where Ollama listens as well.
import { createServer } from 'node:http';

const server = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  if (request.method !== 'POST' || request.url !== '/v1/chat/completions') return void response.writeHead(404).end();
  const { model, messages } = JSON.parse(body);
  const [sentence] = /^[^.]*\./.exec(messages.at(-1).content) ?? [''];
  const answer = {
    model: `${model}-2026-11-30`,
    choices: [{ message: { role: 'assistant', content: sentence } }],
    usage: { prompt_tokens: body.length >> 2, completion_tokens: sentence.length >> 2 },
  };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
});

server.listen(Number(process.argv[2] ?? 11_434), '127.0.0.1', () => {
  const address = server.address();
  console.log(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/v1`);
});
