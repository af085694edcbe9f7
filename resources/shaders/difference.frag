uniform sampler2D planeY;
uniform sampler2D planeU;
uniform sampler2D planeV;
uniform mat3 toRgb;
uniform vec3 offset;
uniform float sampleScale;
uniform vec3 siting;
uniform bool nearest;
uniform sampler2D referenceY;
uniform sampler2D referenceU;
uniform sampler2D referenceV;
uniform mat3 referenceToRgb;
uniform vec3 referenceOffset;
uniform float referenceSampleScale;
uniform vec3 referenceSiting;
uniform bool referenceNearest;
uniform int kind;  // 0: signed, 1: absolute, 2: amplified, 3: heat map
uniform float gain;
uniform vec3 heat[8];
in vec2 at;
out vec4 color;

// Of 8-bit codes, as they are read from the screen.
vec3 codes(vec3 rgb) { return floor(rgb * 255.0 + 0.5); }

void main() {
    vec3 own = colorAt(planeY, planeU, planeV, toRgb, offset, sampleScale, siting, nearest, at);
    vec3 reference = colorAt(referenceY, referenceU, referenceV, referenceToRgb, referenceOffset,
                             referenceSampleScale, referenceSiting, referenceNearest, at);
    vec3 difference = codes(own) - codes(reference);
    vec3 shown;
    if (kind == 0) {
        shown = (128.0 + gain * difference) / 255.0;
    } else if (kind == 1) {
        shown = abs(difference) / 255.0;
    } else if (kind == 2) {
        shown = gain * abs(difference) / 255.0;
    } else {
        vec3 size = abs(difference);
        float share = clamp(gain * max(size.r, max(size.g, size.b)) / 255.0, 0.0, 1.0) * 7.0;
        int below = min(int(share), 6);
        shown = mix(heat[below], heat[below + 1], share - float(below));
    }
    color = vec4(clamp(shown, 0.0, 1.0), 1.0);
}
