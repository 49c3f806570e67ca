// What an API answers instead of what was asked for, from the formats of all four.

export interface FieldError {
  /** The name of the field, or a JSON pointer to it. */
  field: string;
  message: string;
}

export interface MissingAccess {
  action: string;
  resource: string;
}

export class ApiError extends Error {
  /** 0 where the server did not answer. */
  readonly status: number;
  readonly code: string;
  readonly requestId: string | undefined;
  readonly fields: readonly FieldError[];
  readonly access: MissingAccess | undefined;
  readonly retryAfter: number | undefined;
  /** The address of the page that explains it. */
  readonly help: string | undefined;

  /** `catalogue` is the page with the codes of the API that answered. Errors of the host have none, and name their page themselves. */
  constructor(status: number, body: unknown, headers: Headers, catalogue?: string) {
    const problem = readProblem(body);
    super(problem.message ?? `The server answered with ${status}.`);
    this.status = status;
    this.code = problem.code ?? String(status);
    this.requestId =
      problem.id ?? headers.get('x-request-id') ?? headers.get('x-github-request-id') ?? undefined;
    this.fields = problem.fields;
    this.access = problem.access;
    const seconds = Number(headers.get('retry-after') ?? Number.NaN);
    this.retryAfter = Number.isFinite(seconds) ? seconds : undefined;
    const { code, help } = problem;
    this.help =
      code === undefined || catalogue === undefined ? help : `${catalogue}#${encodeURIComponent(code)}`;
  }
}

/** The server cannot be reached: an error without a request id. */
export function unreachable(): ApiError {
  return new ApiError(0, { message: 'The server does not answer. It may be restarting.' }, new Headers());
}

interface Problem {
  message?: string;
  code?: string;
  id?: string;
  help?: string;
  fields: FieldError[];
  access?: MissingAccess;
}

interface AnyBody {
  detail?: string;
  message?: string;
  code?: string;
  id?: string;
  access?: MissingAccess;
  documentation_url?: string;
  error?: { type?: string; message?: string };
  errors?: { field?: string; detail?: string; message?: string; code?: string }[];
}

function readProblem(body: unknown): Problem {
  if (typeof body !== 'object' || body === null) return { fields: [] };
  const { detail, message, code, id, access, documentation_url: page, error, errors } = body as AnyBody;
  const text = detail ?? message ?? error?.message;
  const kind = code ?? error?.type;
  return {
    ...(text !== undefined && { message: text }),
    ...(kind !== undefined && { code: kind }),
    ...(id !== undefined && { id }),
    ...(access !== undefined && { access }),
    ...(page !== undefined && /^https?:\/\//.test(page) && { help: page }),
    fields: (Array.isArray(errors) ? errors : []).map((one) => ({
      field: one.field ?? '',
      message: one.detail ?? one.message ?? one.code ?? '',
    })),
  };
}
