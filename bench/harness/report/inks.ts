/** The inks of a plot that a dark page draws in its own colours: a plot is drawn once, and names its inks as attributes. */
export const textColor = '#1f2933'
export const gridColor = '#e4e7eb'
export const axisColor = '#cbd2d9'
