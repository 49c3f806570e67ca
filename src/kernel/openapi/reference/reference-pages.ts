// The pages of an API's resources, in any of its versions: made when they are first asked for, and kept for a while.
import { BoundedCache } from '../../collections/bounded-cache.ts';
import { memoizeAsync } from '../../collections/memoize-async.ts';
import { escapeHtml } from '../../http/pages/html.ts';
import type { Api } from '../../http/protocol.ts';
import type { Kernel } from '../../kernel.ts';
import type { DocsContent } from '../docs-frame.ts';
import { describedVersions } from '../docs-versions.ts';
import { readExamples } from '../examples.ts';
import { resourceMarkdown } from './resource-markdown.ts';
import { resourceBody } from './resource-page.ts';
import { resourcePath, resourcesOf, type DocsResource } from './resources.ts';

/** One may have half a megabyte. */
const MAX_KEPT = 40;

type Writer = (resource: DocsResource, version: string) => Promise<string>;

export class ReferencePages {
  readonly #api: Api;
  readonly #versions: readonly string[];
  readonly #body: Writer;
  readonly #markdown: Writer;

  constructor(api: Api, kernel: Pick<Kernel, 'publicUrl' | 'limits'>) {
    this.#api = api;
    this.#versions = describedVersions(api.protocol.versions);
    const readAll = memoizeAsync(() => readExamples(api.protocol.name));
    const writer = (write: typeof resourceBody): Writer => {
      const kept = new BoundedCache<string, string>({ max: MAX_KEPT });
      return async (resource, version) => {
        const name = `${resource.slug} ${version}`;
        const known = kept.get(name);
        if (known !== undefined) return known;
        const { publicUrl, limits } = kernel;
        const text = await write(resource, { api, version, publicUrl, limits }, await readAll());
        kept.set(name, text);
        return text;
      };
    };
    this.#body = writer(resourceBody);
    this.#markdown = writer(resourceMarkdown);
  }

  /** The newest where none, or none that is known, is asked for. */
  versionOf(asked: unknown): string {
    const known = this.#versions.find((name) => name === asked);
    return known ?? this.#api.protocol.versions.names.at(-1)!;
  }

  /** Undefined where there is no such resource. */
  async page(slug: string, version: string): Promise<DocsContent | undefined> {
    const resource = this.#find(slug);
    if (resource === undefined) return undefined;
    const links = this.#linksOf(resource, version);
    return { title: resource.name, body: `${links}${await this.#body(resource, version)}` };
  }

  async markdown(slug: string, version: string): Promise<string | undefined> {
    const resource = this.#find(slug);
    return resource && (await this.#markdown(resource, version));
  }

  #find(slug: string): DocsResource | undefined {
    return resourcesOf(this.#api).find((resource) => resource.slug === slug);
  }

  #linksOf({ slug }: DocsResource, version: string): string {
    const { name, title } = this.#api.protocol;
    const at = resourcePath(name, slug);
    const versions = this.#versions.map((one) =>
      one === version
        ? `<strong>${escapeHtml(one)}</strong>`
        : `<a href="${at}?version=${encodeURIComponent(one)}">${escapeHtml(one)}</a>`,
    );
    return `<p class="links"><a href="/docs/${name}">${escapeHtml(title)}</a>
${versions.length > 1 ? `<span>Version: ${versions.join(' · ')}</span>` : ''}
<a href="${at}.md?version=${encodeURIComponent(version)}">Markdown</a>
<a href="/docs/${name}/${encodeURIComponent(version)}.json">OpenAPI</a></p>`;
  }
}
