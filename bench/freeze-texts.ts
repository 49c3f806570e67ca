// The most expensive requests about texts of issues: as long as they may be, with HTML that is many times as long.
import type { FreezeCase, Send } from './freeze-cases.ts';

const MAX_BODY_LENGTH = 65_536;
const ISSUES = '/repos/admin/texts/issues';
const HTML = { accept: 'application/vnd.github.full+json' };

export async function textFreezeCases(send: Send): Promise<FreezeCase[]> {
  const post = async (path: string, body: unknown) => {
    const { status, text } = await send('POST', path, JSON.stringify(body));
    if (status !== 201) throw new Error(`${path}: ${status} ${text.toString().slice(0, 300)}`);
  };
  await post('/user/repos', { name: 'texts' });
  for (let at = 0; at < 30; at += 1) {
    // The first line makes each text another one; each of the other characters becomes an entity.
    const text = `Text ${at}\n\n    ${'<'.repeat(MAX_BODY_LENGTH)}`;
    await post(ISSUES, { title: `Text ${at}`, body: text.slice(0, MAX_BODY_LENGTH) });
  }
  const list = (asked: Send, count: number) => asked('GET', `${ISSUES}?per_page=${count}`, undefined, HTML);
  return [
    {
      name: 'list 30 issues whose HTML is kept, of 260 KB each',
      // Renders and keeps them.
      warm: async (asked) => await list(asked, 30),
      run: async (asked) => (await list(asked, 30)).status,
    },
  ];
}
