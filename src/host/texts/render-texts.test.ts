// Rendered texts are kept, on each engine: each is rendered once, whole, and those that take too long are known as such.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { onEachEngine } from '../../../test/engines.ts';
import { startServerOn } from '../../../test/suites.ts';
import type { TestServer } from '../../../test/server.ts';
import { renderBodies } from '../contents/render-bodies.ts';
import { renderedTextSweep, renderTexts } from './render-texts.ts';

const PLACE = { base: 'https://host.test', fullName: 'ada/tools' };
const DAY = 24 * 60 * 60 * 1000;
const HOSTILE = ']('.repeat(32_768);

onEachEngine((engine) => {
  describe('rendered texts', () => {
    let server: TestServer;
    before(async () => {
      server = await startServerOn(engine, { limits: 'off' });
    });
    after(() => server?.stop());

    const kernel = () => server.app.kernel;
    const rows = () =>
      kernel().db.selectFrom('rendered_texts').select(['key', 'html', 'used_at']).orderBy('key').execute();
    const clear = () => kernel().db.deleteFrom('rendered_texts').execute();
    /** Answers what is kept, and fails what is not. */
    const readOnly = () => ({
      ...kernel(),
      services: {
        ...kernel().services,
        markdown: {
          renderOnce: () => Promise.reject(new Error('Rendered again')),
        } as unknown as ReturnType<typeof kernel>['services']['markdown'],
      },
    });

    test('thirty texts of 65,536 characters come whole, and are rendered once', async () => {
      await clear();
      const texts = Array.from({ length: 30 }, (_, index) => `${index} *begin* #12 `.padEnd(65_536, 'x'));
      const first = await renderBodies(kernel(), texts, 'application/vnd.github.full+json', PLACE);
      for (const [index, { body, body_html: html, body_text: text }] of first.entries()) {
        assert.equal(body, texts[index]);
        assert.match(html!, /^<p>\d+ <em>begin<\/em> <a [^>]*issues\/12">#12<\/a> x+<\/p>$/);
        assert.equal(text, texts[index]!.replaceAll('*', ''));
      }
      const again = await renderBodies(readOnly(), texts, 'application/vnd.github.full+json', PLACE);
      assert.deepEqual(again, first);
    });

    test('links follow the address of the server and the name of the repository', async () => {
      const [one] = await renderTexts(kernel(), ['#1 @ben'], PLACE);
      const [other] = await renderTexts(readOnly(), ['#1 @ben'], {
        base: 'http://other.test/api/v3',
        fullName: 'ben/app',
      });
      assert.match(one!, /"https:\/\/host\.test\/ada\/tools\/issues\/1".*"https:\/\/host\.test\/ben"/);
      assert.match(other!, /"http:\/\/other\.test\/ben\/app\/issues\/1".*"http:\/\/other\.test\/ben"/);
      const several = { base: PLACE.base, fullName: ['a/b', 'c/d'] };
      const [first, second] = await renderTexts(readOnly(), ['#1 @ben', '#1 @ben'], several);
      assert.match(first!, /"https:\/\/host\.test\/a\/b\/issues\/1"/);
      assert.match(second!, /"https:\/\/host\.test\/c\/d\/issues\/1"/);
      const [gist] = await renderTexts(kernel(), ['#1'], { base: PLACE.base });
      assert.equal(gist, '<p>#1</p>');
    });

    test('a text that takes too long is kept as such, and the others are rendered', async () => {
      await clear();
      const texts = ['a', `1${HOSTILE}`, 'b', ''];
      const expected = ['<p>a</p>', undefined, '<p>b</p>', ''];
      assert.deepEqual(await renderTexts(kernel(), texts, PLACE), expected);
      assert.deepEqual(await renderTexts(readOnly(), texts, PLACE), expected);
      const [shown] = await renderBodies(readOnly(), [texts[1]!], 'application/vnd.github.html+json', PLACE);
      assert.equal(shown!.body_html, `<pre>${texts[1]}</pre>`);
    });

    test('what was not asked for in a month is deleted, and what is asked for stays', async () => {
      await clear();
      await renderTexts(kernel(), ['stays', 'goes'], PLACE);
      server.clock.ahead += 20 * DAY;
      await renderTexts(readOnly(), ['stays'], PLACE);
      server.clock.ahead += 20 * DAY;
      await renderedTextSweep(kernel()).run(AbortSignal.timeout(60_000));
      assert.deepEqual(
        (await rows()).map(({ html }) => html),
        ['<p>stays</p>'],
      );
    });

    test('texts are shown although nothing can be kept', async () => {
      await clear();
      const { db } = kernel();
      const failing = {
        selectFrom: db.selectFrom.bind(db),
        insertInto: () => {
          throw new Error('The disk is full');
        },
      } as unknown as typeof db;
      assert.deepEqual(await renderTexts({ ...kernel(), db: failing }, ['x'], PLACE), ['<p>x</p>']);
      assert.deepEqual(await rows(), []);
    });
  });
});
