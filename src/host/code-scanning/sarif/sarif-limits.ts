// How large an upload may be, and how much of it is kept.

/** Of the compressed document. */
export const MAX_GZIP_BYTES = 10 * 1024 * 1024;
/** Inflating stops here, however small the compressed document is. */
export const MAX_INFLATED_BYTES = 64 * 1024 * 1024;
export const MAX_SARIF_DEPTH = 100;

export const MAX_RUNS = 20;
export const MAX_SARIF_RESULTS = 25_000;
export const KEPT_RESULTS = 5000;
export const MAX_RULES = 25_000;
export const MAX_EXTENSIONS = 100;
export const MAX_FLOW_LOCATIONS = 10_000;
export const KEPT_FLOW_LOCATIONS = 1000;
export const MAX_LOCATIONS = 1000;
export const KEPT_LOCATIONS = 100;
export const MAX_RULE_TAGS = 20;
export const KEPT_TAGS = 10;

/** Of texts that are shown; longer ones are cut. */
export const MAX_MESSAGE_LENGTH = 10_000;
export const MAX_HELP_LENGTH = 32_768;
export const MAX_SARIF_DESCRIPTION = 4000;
/** Of names, which identify and are never cut. */
export const MAX_SARIF_NAME = 255;
export const MAX_PATH_LENGTH = 4096;

/** The upload names no more problems than these. */
export const MAX_PROBLEMS = 20;
