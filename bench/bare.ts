// The baseline: what node:http alone can do with a JSON body of the size ours has.
import { createServer } from 'node:http';

const counter = () => ({ limit: 5000, used: 1, remaining: 4999, reset: 1_800_000_000 });
const status = {
  resources: {
    core: counter(),
    search: counter(),
    graphql: counter(),
    integration_manifest: counter(),
    code_scanning_upload: counter(),
  },
};

createServer((_request, response) => {
  const body = JSON.stringify(status);
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
  response.end(body);
}).listen(Number(process.env['PORT']), '127.0.0.1');
