// The page of one resource: each of its operations with parameters, bodies, replies, errors, samples, and a form to try it.
import { escapeHtml, escapeWithCode, htmlTable } from '../../http/pages/html.ts';
import { mapInSlices } from '../../yield-to-event-loop.ts';
import type { Examples } from '../examples.ts';
import type { DescribedError } from '../errors.ts';
import { errorsPath } from '../error-catalogue.ts';
import type { FieldRow } from './fields.ts';
import { viewOperation, type OperationView, type ViewContext } from './operation-view.ts';
import { shapesIn, type DocsResource } from './resources.ts';
import { pythonOf } from './python-sample.ts';
import { commandOf, curlOf, fetchOf, sampleValue, TOKEN } from './samples.ts';

export async function resourceBody(
  resource: DocsResource,
  context: ViewContext,
  examples: Examples,
): Promise<string> {
  const shapes = shapesIn(resource, context.version);
  const catalogue = errorsPath(context.api.protocol.name);
  const parts = await mapInSlices(shapes, (shape) =>
    operationPart(viewOperation(shape, context, examples[shape.id]), catalogue),
  );
  const intro =
    resource.description === '' ? '' : `<p class="lead">${escapeWithCode(resource.description)}.</p>`;
  return `${intro}${parts.join('\n')}`;
}

function operationPart(view: OperationView, catalogue: string): string {
  const { id, summary, description } = view;
  return `<section class="op"><div class="op__text">
<h2 id="${escapeHtml(id)}"><a class="op__link" href="#${escapeHtml(encodeURIComponent(id))}">${escapeWithCode(summary)}</a></h2>
<p class="endp">${verb(view.method)}<code>${escapeHtml(view.path)}</code></p>
${description === undefined ? '' : textOf(description)}
${factsOf(view)}
${fieldPart('Parameters', parameterRows(view))}
${view.bodies.map(bodyPart).join('')}
${view.replies.map(replyPart).join('')}
${errorPart(view.errors, catalogue)}
</div><div class="op__side">${samplesOf(view)}${tryPart(view)}${exampleOf(view)}</div></section>`;
}

/** Paragraphs, and lists of lines that begin with a dash. */
function textOf(description: string): string {
  const blocks = description.split('\n').reduce<{ isList: boolean; lines: string[] }[]>((found, line) => {
    const isList = line.startsWith('- ');
    const text = escapeWithCode(isList ? line.slice(2) : line);
    const last = found.at(-1);
    if (line.trim() === '') return found;
    if (last?.isList === true && isList) last.lines.push(text);
    else found.push({ isList, lines: [text] });
    return found;
  }, []);
  return blocks
    .map(({ isList, lines }) =>
      isList ? `<ul>${lines.map((line) => `<li>${line}</li>`).join('')}</ul>` : `<p>${lines.join(' ')}</p>`,
    )
    .join('');
}

export function verb(method: string): string {
  return `<span class="verb verb-${method.toLowerCase()}">${method}</span>`;
}

function factsOf({ permission, limit, since, isChangedLater, id }: OperationView): string {
  const who =
    /^[a-z]+$/.test(permission) || permission === 'any token'
      ? permission
      : `<code>${escapeHtml(permission)}</code>`;
  const rows: [string, string][] = [
    ['Permission', who],
    ...(limit === undefined ? [] : ([['Limit', escapeHtml(limit)]] as [string, string][])),
    ...(since === undefined ? [] : ([['Since', escapeHtml(since)]] as [string, string][])),
    ...(isChangedLater ? ([['Versions', 'A later version answers differently.']] as [string, string][]) : []),
    ['Operation', `<code>${escapeHtml(id)}</code>`],
  ];
  return `<dl class="facts">${rows.map(([term, value]) => `<dt>${term}</dt><dd>${value}</dd>`).join('')}</dl>`;
}

function parameterRows({ parameters }: OperationView): FieldRow[] {
  return parameters.map(({ in: place, type, ...row }) => ({ ...row, type: `${type}, in the ${place}` }));
}

function bodyPart({ type, kind, fields }: OperationView['bodies'][number]): string {
  return fieldPart(`Body <small>${escapeHtml(type)}</small>`, fields, kind);
}

function replyPart({ status, description, kind, fields }: OperationView['replies'][number]): string {
  const title = `Reply ${status} <small>${escapeHtml(kind ?? description)}</small>`;
  if (fields.length === 0) return `<h3>${title}</h3>`;
  return `<details class="reply"><summary><h3>${title}</h3></summary>${rowsOf(fields)}</details>`;
}

function fieldPart(title: string, fields: readonly FieldRow[], kind = ''): string {
  if (fields.length === 0 && kind === '') return '';
  const shown = fields.length > 0 ? rowsOf(fields) : `<p class="muted">${escapeHtml(kind)}</p>`;
  return `<h3>${title}</h3>${shown}`;
}

function rowsOf(fields: readonly FieldRow[]): string {
  return fields
    .map(({ name, type, isRequired, description, fields: inner }) => {
      const more =
        inner.length === 0
          ? ''
          : `<details><summary>${inner.length} fields</summary>${rowsOf(inner)}</details>`;
      return `<div class="param"><p class="param__h"><code>${escapeHtml(name)}</code> <span class="type">${escapeHtml(type)}</span>${
        isRequired ? ' <span class="req">required</span>' : ''
      }</p>${description === undefined ? '' : `<p>${escapeWithCode(description)}</p>`}${more}</div>`;
    })
    .join('');
}

function errorPart(errors: readonly DescribedError[], catalogue: string): string {
  if (errors.length === 0) return '';
  const rows = errors.map(({ status, anchor, cause, cure, types }) => [
    `<a href="${escapeHtml(`${catalogue}#${anchor}`)}"><code>${status}</code></a>${types.map((type) => `<br><a class="type" href="${escapeHtml(`${catalogue}#${type}`)}"><code>${escapeHtml(type)}</code></a>`).join('')}`,
    escapeHtml(cause),
    escapeHtml(cure),
  ]);
  return `<h3>Errors</h3>${htmlTable(['Status', 'Cause', 'Cure'], rows, 'stacked')}`;
}

/** Which of them is shown is chosen once for all pages; without scripts all are. */
function samplesOf({ id, sample, clientSample, actions }: OperationView): string {
  const block = (client: string, title: string, text: string) =>
    `<figure class="code" data-client="${client}"><figcaption>${title}</figcaption><pre tabindex="0"><code>${escapeHtml(text)}</code></pre></figure>`;
  const blocks = [
    block('curl', 'curl', curlOf(sample)),
    block('fetch', 'JavaScript', fetchOf(sample)),
    block('python', 'Python', pythonOf(sample)),
    ...(clientSample === undefined
      ? []
      : [block('client', escapeHtml(clientSample.client), clientSample.text)]),
    block('cli', 'CLI', commandOf(sample)),
  ];
  const needs = sample.headers.some(([, value]) => value.includes(TOKEN));
  const token = needs
    ? ` data-token-for="${escapeHtml(id)}" data-actions="${escapeHtml(actions.join(' '))}"`
    : '';
  return `<div class="samples"${token}>${blocks.join('')}</div>`;
}

function exampleOf({ replies }: OperationView): string {
  const shown = replies.find(({ example }) => example !== undefined);
  if (shown === undefined) return '';
  const text = JSON.stringify(shown.example, undefined, 2);
  return `<figure class="code"><figcaption>${shown.status}, an example</figcaption><pre tabindex="0"><code>${escapeHtml(text)}</code></pre></figure>`;
}

/** Filled by the script from the session of this browser; without one it is not shown. */
function tryPart({ method, path, parameters, sample }: OperationView): string {
  const fields = parameters
    .filter(({ in: place }) => place !== 'header')
    .map(({ name, in: place, isRequired }) => {
      const value = place === 'path' ? sampleValue(name) : '';
      return `<label>${escapeHtml(name)}${isRequired ? '' : ' <em>optional</em>'}<input data-in="${place}" name="${escapeHtml(name)}" value="${escapeHtml(value)}"></label>`;
    });
  const type = sample.headers.find(([name]) => name === 'Content-Type')?.[1];
  const body =
    sample.body === undefined
      ? ''
      : `<label>Body<textarea data-type="${escapeHtml(type ?? '')}" rows="6" spellcheck="false">${escapeHtml(
          typeof sample.body === 'string' ? sample.body : JSON.stringify(sample.body, undefined, 2),
        )}</textarea></label>`;
  return `<details class="try" hidden><summary>Try it</summary><form data-method="${method}" data-path="${escapeHtml(path)}">
${fields.join('')}${body}<button>${method === 'GET' ? 'Send' : 'Send the change…'}</button><output></output></form></details>`;
}
