/** Limits of the LMDB store. */

export const store = Object.freeze({
  /**
   * Free pages of the file that are loaded, and the bound beyond which they are released. Every written page is
   * searched among them: with lmdb's default of tens of thousands, a commit to a large file takes a tenth of a second.
   */
  freePagesLoaded: 2_000,
  freePagesRetained: 4_000,
  /** Address space reserved for the data at the start, not memory; more is reserved when the data outgrows it. */
  mapBytes: 64 * 1024 ** 3,
  keyBytes: 1_900,
  /** Below this much free disk the node refuses writes. */
  freeDiskBytes: 64 * 1024 ** 2,
  /**
   * Commits join a group until it holds this many writes; a single larger commit still goes whole. Small groups let the
   * commits of one continue while the next is written: with one large group, callers would wait for the disk and then
   * the disk for callers.
   */
  writesPerGroup: 600,
  /** With `durability: 'async'`, the least time between the beginnings of two transactions. */
  writeBehindMs: 100,
  /** While this much is unwritten, a commit waits too. */
  unwrittenBytes: 8 * 1024 ** 2,
  /** Rows of a range that are read in one slice; between slices no read transaction is open. */
  rowsPerSlice: 64,
  /** Pages of the data file whose structure is checked before it is opened. */
  checkedPages: 16_384,
  recordDepth: 100,
  /** The time that the owner of the data directory has to identify its process. */
  ownerAnswerMs: 250,
} as const)
