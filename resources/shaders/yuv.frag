uniform sampler2D planeY;
uniform sampler2D planeU;
uniform sampler2D planeV;
uniform mat3 toRgb;
uniform vec3 offset;
uniform float sampleScale;
uniform vec3 siting;
uniform bool nearest;
uniform float opacity;
uniform vec3 wipe;       // distance from the line = dot(wipe.xy, pixel) + wipe.z; what is on its negative side is drawn
uniform vec4 wipeColor;  // of the line, and in w half its width; 0: there is no wipe
uniform vec2 extent;     // of the picture on screen, in pixels
in vec2 at;
in vec2 place;
out vec4 color;

void main() {
    if (wipeColor.w > 0.0) {
        float distance = dot(wipe.xy, place * extent) + wipe.z;
        if (distance > wipeColor.w) discard;
        if (distance > -wipeColor.w) {
            color = vec4(wipeColor.rgb, 1.0);
            return;
        }
    }
    vec3 rgb = colorAt(planeY, planeU, planeV, toRgb, offset, sampleScale, siting, nearest, at);
    color = vec4(rgb * opacity, opacity);
}
